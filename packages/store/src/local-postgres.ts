/**
 * A real Postgres for somebody who has none: the binaries that npm brought, a cluster in the data folder, a Unix
 * socket instead of a port. It is adopted when it already runs on that folder, and only who started it stops it.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { type Account, ownedFolder, postgresPlaces } from './local-postgres/account.ts'
import { postgresBinaries } from './local-postgres/binaries.ts'
import { DATABASE_USER, ensureCluster, writeSettings } from './local-postgres/cluster.ts'
import { type Keeper, startKeeper } from './local-postgres/keeper.ts'
import { runningPostgres } from './local-postgres/pid-file.ts'

export interface LocalPostgres {
  /** Connection string of the database `loadcurve`; works for pg and for BullMQ. */
  readonly connectionString: string
  /** Where its data lie. As root it need not be inside the data folder, which `nobody` may not be able to reach. */
  readonly folder: string
  /** True when it ran already: then `stop` leaves it alone. */
  readonly adopted: boolean
  /** Stops what we started, and resolves when it is down. */
  readonly stop: () => Promise<void>
}

// A killed server's own children need a moment to leave; a second starter needs one to get ready.
const START_ATTEMPTS_MAX = 20
const RETRY_MS = 500
// The kernel allows 107 bytes for the path of a socket; `/.s.PGSQL.5432` takes 14 of them.
const SOCKET_DIR_LENGTH_MAX = 92

/**
 * Starts or adopts the local Postgres of a data folder.
 *
 * @param dataDir the data folder; created when absent
 * @throws Error when there is no Postgres for this platform, or when it does not start: the message names its log
 */
export async function startLocalPostgres(dataDir: string): Promise<LocalPostgres> {
  const places = postgresPlaces(dataDir)
  const { initdb, pgCtl } = postgresBinaries(places.binariesParent)
  const clusterDir = join(places.clusterParent, 'cluster')
  const logFile = join(places.clusterParent, 'postgres.log')
  await ensureCluster(clusterDir, { initdb, account: places.account })

  for (let attempt = 1; attempt <= START_ATTEMPTS_MAX; attempt++) {
    const running = runningPostgres(clusterDir)
    if (running !== null) {
      const connectionString = await openDatabase(running.socketDir)
      if (connectionString !== null) {
        return { connectionString, folder: places.clusterParent, adopted: true, stop: async () => {} }
      }
    } else {
      const socketDir = socketFolder(places.clusterParent, places.account)
      writeSettings(clusterDir, socketDir)
      const keeper = await startKeeper({ pgCtl, clusterDir, logFile, account: places.account })
      if (keeper !== null) return { ...(await started(keeper, socketDir)), folder: places.clusterParent }
    }
    await delay(RETRY_MS)
  }
  throw new Error(`the local Postgres does not start: see ${logFile}`)
}

async function started(keeper: Keeper, socketDir: string): Promise<Omit<LocalPostgres, 'folder'>> {
  const connectionString = await openDatabase(socketDir)
  if (connectionString === null) {
    await keeper.stop()
    throw new Error(`the local Postgres started, but lets nobody in at ${socketDir}`)
  }
  const stop = async () => {
    await keeper.stop()
    if (socketDir.startsWith(tmpdir())) rmSync(socketDir, { recursive: true, force: true })
  }
  return { connectionString, adopted: false, stop }
}

function socketFolder(parent: string, account: Account | null): string {
  const folder = join(parent, 'socket')
  if (Buffer.byteLength(folder) <= SOCKET_DIR_LENGTH_MAX) return ownedFolder(folder, account)
  // mkdtemp: a name that nobody can guess, in a folder that only its owner can open.
  return ownedFolder(mkdtempSync(join(tmpdir(), 'loadcurve-')), account)
}

/** The connection string of our database, created when absent; null when the server does not answer yet. */
async function openDatabase(socketDir: string): Promise<string | null> {
  const admin = new pg.Client({ connectionString: connectionStringOf(socketDir, 'postgres') })
  admin.on('error', () => {})
  try {
    await admin.connect()
    const { rowCount } = await admin.query(`select from pg_database where datname = $1`, [DATABASE_USER])
    // Another starter may create it at the same instant: 42P04 is "duplicate database".
    if (rowCount === 0)
      await admin.query(`create database ${DATABASE_USER}`).catch(ignoreCode('42P04', '23505'))
    return connectionStringOf(socketDir, DATABASE_USER)
  } catch {
    return null
  } finally {
    await admin.end().catch(() => {})
  }
}

function ignoreCode(...codes: readonly string[]): (error: { code?: string }) => void {
  return (error) => {
    if (!codes.includes(error.code ?? '')) throw error
  }
}

function connectionStringOf(socketDir: string, database: string): string {
  return `postgresql://${DATABASE_USER}@localhost/${database}?host=${encodeURIComponent(socketDir)}`
}
