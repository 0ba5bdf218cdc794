/** The connection to Postgres, the one truth, and its schema. */
import { Kysely, type Migration, Migrator, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { MIGRATIONS } from './migrations/all.ts'
import type { Schema } from './schema.ts'

export type Database = Kysely<Schema>

export interface OpenDatabase {
  readonly db: Database
  readonly close: () => Promise<void>
}

export interface DatabaseOptions {
  readonly connectionString: string
  /** Largest number of connections of the pool; default 10. */
  readonly connectionsMax?: number
  /** Told of connections that broke; the pool replaces them by itself. */
  readonly onError: (error: Error) => void
}

const CONNECTIONS_MAX = 10
const CONNECT_TIMEOUT_MS = 5_000
const MIGRATE_ATTEMPTS_MAX = 3

// bigint (int8) columns here are row numbers: far below 2^53.
const INT8_OID = 20
export const TYPE_PARSERS = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8_OID ? Number : pg.types.getTypeParser(oid, format as 'text'),
}

/**
 * For the `onConnect` of a pool. A pool listens only to its idle connections; one that breaks while somebody holds it,
 * between two queries, would end the process.
 */
export function surviveErrors(onError: (error: Error) => void): (client: pg.ClientBase) => void {
  return (client) => void client.on('error', onError)
}

/** Opens a pool of connections. Nothing is connected until the first query. */
export function openDatabase({ connectionString, connectionsMax, onError }: DatabaseOptions): OpenDatabase {
  const pool = new pg.Pool({
    connectionString,
    max: connectionsMax ?? CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    types: TYPE_PARSERS as pg.CustomTypesConfig,
    application_name: 'loadcurve',
    onConnect: surviveErrors(onError),
  })
  // Without a listener a connection that breaks while idle would end the process.
  pool.on('error', onError)
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  return { db, close: () => db.destroy() }
}

/**
 * Brings the schema up to date. Safe to call from every process at once: Kysely serialises migrations by a lock.
 *
 * @throws the first error of a migration; the schema is then as it was before
 */
export async function migrateDatabase(db: Database): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => ({ ...MIGRATIONS }) as Record<string, Migration> },
  })
  for (let attempt = 1; ; attempt++) {
    const { error } = await migrator.migrateToLatest()
    if (error === undefined) return
    // Two first starters may both create Kysely's own tables; the second one finds them there when it tries again.
    if (attempt === MIGRATE_ATTEMPTS_MAX) throw error
  }
}

/** The clock of the database: the one that all machines share. */
export async function databaseNow(db: Database): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  return rows[0]?.now ?? new Date()
}
