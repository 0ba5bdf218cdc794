/**
 * The keeper: a shell of a few lines that starts Postgres, waits until our end of its standard input closes, and
 * stops Postgres. Whatever happens to us, an orderly stop or `kill -9`, the pipe closes, so no server is left behind.
 * It runs in a session of its own: a Ctrl-C on the terminal reaches us, and only us, so that the API and the workers
 * can drain before their database goes.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { Account } from './account.ts'

const SCRIPT = `
trap '' PIPE
"$1" start -D "$2" -l "$3" -w -t 60 </dev/null >/dev/null 2>&1 || { echo failed; exit 1; }
echo ready
read -r _
exec "$1" stop -D "$2" -m fast -w -t 60 </dev/null >/dev/null 2>&1
`

export interface Keeper {
  /** Stops Postgres and resolves when it is down. */
  readonly stop: () => Promise<void>
}

/** Starts Postgres under a keeper; null when it would not start (its log says why). */
export async function startKeeper(command: {
  readonly pgCtl: string
  readonly clusterDir: string
  readonly logFile: string
  readonly account: Account | null
}): Promise<Keeper | null> {
  const { pgCtl, clusterDir, logFile, account } = command
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'loadcurve-postgres', pgCtl, clusterDir, logFile], {
    ...account,
    cwd: '/',
    // Nothing of our environment (target keys!) goes into the server.
    env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  })
  const exited = once(child, 'exit')
  if ((await firstLine(child)) !== 'ready') return null
  release(child)
  return {
    stop: async () => {
      child.ref()
      child.stdin?.end()
      await exited
    },
  }
}

async function firstLine(child: ChildProcess): Promise<string | null> {
  if (child.stdout === null) return null
  for await (const line of createInterface(child.stdout)) return line
  return null
}

// The keeper must not keep us alive.
function release(child: ChildProcess): void {
  child.unref()
  ;(child.stdin as Socket | null)?.unref()
  child.stdout?.destroy()
}
