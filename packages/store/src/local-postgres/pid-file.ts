/**
 * What `postmaster.pid` says, and whether it is true. A server that was killed, or a machine that was switched off,
 * leaves the file behind; when its number meanwhile belongs to another process, Postgres refuses to start until the
 * file is gone. So the file is believed only when the process is alive and is a Postgres.
 */

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

export interface RunningPostgres {
  readonly pid: number
  readonly socketDir: string
}

/** The server that runs on a cluster; null, and the stale file removed, when none does. */
export function runningPostgres(clusterDir: string): RunningPostgres | null {
  const path = join(clusterDir, 'postmaster.pid')
  if (!existsSync(path)) return null
  // Line 1 the process id, line 5 the socket folder (empty while the server is still starting).
  const lines = readFileSync(path, 'utf8').split('\n')
  const pid = Number(lines[0])
  if (Number.isInteger(pid) && pid > 0 && isPostgres(pid)) return { pid, socketDir: lines[4] ?? '' }
  rmSync(path, { force: true })
  return null
}

function isPostgres(pid: number): boolean {
  if (existsSync('/proc/self/cmdline')) {
    const commandLine = `/proc/${pid}/cmdline`
    return existsSync(commandLine) && readFileSync(commandLine, 'utf8').includes('postgres')
  }
  return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes(
    'postgres',
  )
}
