/** Processes of ours under test: the built entry points, as an operator would start them, and nothing mocked. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = new URL('../../../', import.meta.url)

export const API = 'apps/api/dist/server.js'
export const WORKER = 'apps/worker/dist/main.js'
export const SIMULATOR = 'apps/cli/dist/services/simulator.js'

export interface TestProcess {
  readonly pid: number
  /** What it said when it was ready. */
  readonly url: string | null
  /** Everything that it wrote. */
  readonly output: () => string
  /** SIGTERM, and wait. */
  readonly stop: () => Promise<void>
  /** SIGKILL, and wait. */
  readonly kill: () => Promise<void>
}

/** Starts an entry point and waits until it says that it is ready. */
export async function startProcess(
  entry: string,
  { env = {}, args = [] }: { env?: Readonly<Record<string, string>>; args?: readonly string[] } = {},
): Promise<TestProcess> {
  const child = fork(fileURLToPath(new URL(entry, ROOT)), [...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => output.push(String(chunk)))
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const ready = await Promise.race([once(child, 'message'), exited.then(() => null)])
  if (ready === null) throw new Error(`${entry} ended before it was ready:\n${output.join('')}`)
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    await exited
  }
  return {
    pid: pidOf(child),
    url: (ready[0] as { url: string | null }).url,
    output: () => output.join(''),
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  }
}

function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('the process did not start')
  return child.pid
}

/** The processes below one, by the table of the operating system. */
export function childrenOf(pid: number): number[] {
  return processTable()
    .filter((entry) => entry.parent === pid)
    .map((entry) => entry.pid)
}

/** Every process that has all of these words in its command line. */
export function processesWith(...words: string[]): number[] {
  return processTable()
    .filter(({ command }) => words.every((word) => command.includes(word)))
    .map((entry) => entry.pid)
}

export function isAlive(pid: number): boolean {
  return processTable().some((entry) => entry.pid === pid)
}

// Zombies have ended; nobody has read their code yet.
function processTable(): { pid: number; parent: number; command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
        const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
        if (state === 'Z' || state === 'X') return []
        return [
          {
            pid: Number(name),
            parent: Number(parent),
            command: readFileSync(`/proc/${name}/cmdline`, 'utf8'),
          },
        ]
      } catch {
        return []
      }
    })
}

/** The kernel's own list of processes is what proves that nothing is left. */
export const hasProcessTable = existsSync('/proc/self/stat')
