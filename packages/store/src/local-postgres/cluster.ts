/**
 * The cluster: the folder in which Postgres keeps its data. It is initialised once, under another name until it is
 * complete, so that a crash half-way leaves nothing that looks like a cluster.
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Account, accountName, ownedFolder } from './account.ts'

export const DATABASE_USER = 'loadcurve'

const run = promisify(execFile)
const INITIALISE_TIMEOUT_MS = 60_000

/** Creates the cluster in `clusterDir` unless it is there. */
export async function ensureCluster(
  clusterDir: string,
  { initdb, account }: { initdb: string; account: Account | null },
): Promise<void> {
  if (existsSync(join(clusterDir, 'PG_VERSION'))) return
  const unfinished = ownedFolder(mkdtempSync(`${clusterDir}-`), account)
  try {
    await run(initdb, ['-D', unfinished, '-U', DATABASE_USER, '-E', 'UTF8', '--no-locale', '--auth=reject'], {
      ...account,
      cwd: '/',
      env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' },
      timeout: INITIALISE_TIMEOUT_MS,
    })
    renameSync(unfinished, clusterDir)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    // Somebody else may have finished first.
    if (!existsSync(join(clusterDir, 'PG_VERSION'))) throw error
  }
}

/**
 * Writes the settings that make the cluster ours: no TCP port, a socket in `socketDir`, and only our own account of
 * the operating system is let in.
 */
export function writeSettings(clusterDir: string, socketDir: string): void {
  const settings = [
    `listen_addresses = ''`,
    `unix_socket_directories = '${socketDir.replaceAll("'", "''")}'`,
    `unix_socket_permissions = 0700`,
    // Pools of the API, the workers and BullMQ, each with its own LISTEN connection.
    `max_connections = 200`,
    `logging_collector = off`,
    `timezone = 'UTC'`,
  ]
  writeFileSync(join(clusterDir, 'postgresql.auto.conf'), `${settings.join('\n')}\n`)
  writeFileSync(join(clusterDir, 'pg_hba.conf'), 'local all all peer map=owner\n')
  writeFileSync(join(clusterDir, 'pg_ident.conf'), `owner "${accountName()}" ${DATABASE_USER}\n`)
}
