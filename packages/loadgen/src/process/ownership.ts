/**
 * A child belongs to the process that forked it. When the IPC channel closes, whatever the reason (even kill -9 of the
 * owner), the child ends. A terminal's Ctrl-C reaches the whole group of processes; the owner alone decides what it
 * means, so the child ignores it.
 */
import { type ChildProcess, fork as forkProcess, type Serializable, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** In the child: ends this process when its owner is gone. */
export function endWithOwner(): void {
  if (process.send === undefined)
    throw new Error('this file is forked by its owner, it is not started by hand')
  process.on('disconnect', () => process.exit(1))
  // An owner that was killed while this process was still loading its modules went before anybody listened.
  if (!process.connected) process.exit(1)
  process.on('SIGINT', () => {})
}

/** In the child: says something to the owner. An owner that is gone is not worth an exception: 'disconnect' follows. */
export function tellOwner(message: Serializable, onSent: () => void = () => {}): void {
  process.send?.(message, undefined, undefined, onSent)
}

/**
 * In the owner: starts one of our entry points, with only those variables of the environment that it needs.
 *
 * @param name file in this folder; forked files are JavaScript, so from the sources its built twin is started
 */
export function forkOwned(name: string, env: Readonly<Record<string, string | undefined>>): ChildProcess {
  const isBuilt = import.meta.url.endsWith('.js')
  const path = fileURLToPath(
    new URL(isBuilt ? `./${name}.js` : `../../dist/process/${name}.js`, import.meta.url),
  )
  const child = forkProcess(path, [], {
    env: { ...env },
    // Flags of the owner (a test runner, a debugger) are not the child's. A larger young generation makes the
    // garbage collector's pauses rarer while thousands of short-lived chunks pass through.
    execArgv: ['--max-semi-space-size=32'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  preferOverOthers(child)
  return child
}

/**
 * Whatever else the machine does would be read as the server's latency: a stamp that waits for the processor is late. A
 * nice value is not enough where the kernel groups processes by session, so the real-time class is asked for. Both are
 * root's to give; without them the process measures its own lateness all the same, and an unhealthy step is not used.
 */
export function preferOverOthers({ pid }: ChildProcess): void {
  if (pid === undefined || process.getuid?.() !== 0) return
  const chrt = spawn('chrt', ['--rr', '--all-tasks', '--pid', '1', String(pid)], { stdio: 'ignore' })
  // A system without it, or a container that forbids it, goes without.
  chrt.on('error', () => {})
}
