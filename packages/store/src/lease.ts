/**
 * The lease: who may conduct. It is a Postgres advisory lock on a connection of its own, so it ends with its holder,
 * however that ends: the server sees the closed socket at once. Everything the holder writes goes through that same
 * connection ({@link Lease.db}), so a holder that lost the lock cannot write any more.
 *
 * A heartbeat goes through the connection as well: it finds out when the server is gone, and it is there for other
 * machines to see when a holder vanished without closing its socket.
 */
import { randomUUID } from 'node:crypto'
import { Kysely, PostgresDialect, type PostgresPoolClient, sql } from 'kysely'
import pg from 'pg'
import { type Database, TYPE_PARSERS } from './database.ts'
import type { Schema } from './schema.ts'

export interface Lease {
  readonly holder: string
  /** The connection that holds the lock, one query at a time. */
  readonly db: Database
  /** Aborts when the lock may be lost; whoever depends on it must stop at once. */
  readonly lost: AbortSignal
  readonly release: () => Promise<void>
}

/** The lease of the whole fleet of load processes: its holder conducts, one run at a time. */
export const FLEET_LEASE = 'fleet'

const HEARTBEAT_MS = 400
/** A heartbeat that takes longer than this counts as lost. */
const HEARTBEAT_TIMEOUT_MS = 2_000
/** Nothing that a conductor asks takes long; a server that hangs must not hang it. */
const QUERY_TIMEOUT_MS = 10_000
/** A heartbeat older than this is that of a holder whose machine went away. */
export const HEARTBEAT_STALE_MS = 5_000

/** Takes the lease, or returns null when somebody else has it. */
export async function acquireLease(connectionString: string, name: string): Promise<Lease | null> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    query_timeout: QUERY_TIMEOUT_MS,
    types: TYPE_PARSERS as pg.CustomTypesConfig,
    application_name: `loadcurve lease ${name}`,
  })
  const lost = new AbortController()
  client.on('error', (error) => lost.abort(error))
  client.on('end', () => lost.abort(new Error(`the connection that held the lease "${name}" ended`)))
  await client.connect()
  const { rows } = await client.query('select pg_try_advisory_lock(hashtextextended($1, 0)) as taken', [name])
  if (rows[0]?.taken !== true) {
    await client.end()
    return null
  }
  const holder = randomUUID()
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: onlyConnection(client) }) })
  await announce(db, name, holder)
  const heart = beat({ db, name, holder, lost })
  const release = async () => {
    clearInterval(heart)
    lost.abort(new Error(`the lease "${name}" was given back`))
    await client.end().catch(() => {})
  }
  lost.signal.addEventListener('abort', () => {
    clearInterval(heart)
    client.end().catch(() => {})
  })
  return { holder, db, lost: lost.signal, release }
}

/** Does anybody hold the lease now? */
export async function isLeaseHeld(db: Database, name: string): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`select ${leaseIsHeld(name)} as held`.execute(db)
  return rows[0]?.held === true
}

/** SQL: does anybody hold the lease? A bigint key shows in pg_locks as its two halves. */
export function leaseIsHeld(name: string) {
  return sql<boolean>`exists (
    select from pg_locks
    where locktype = 'advisory' and objsubid = 1 and granted
      and database = (select oid from pg_database where datname = current_database())
      and ((classid::bigint << 32) | objid::bigint) = hashtextextended(${name}, 0))`
}

async function announce(db: Database, name: string, holder: string): Promise<void> {
  const now = sql<Date>`clock_timestamp()`
  await db
    .insertInto('leases')
    .values({ name, holder, taken_at: now, heartbeat_at: now })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ holder, taken_at: now, heartbeat_at: now }),
    )
    .execute()
}

function beat(lease: { db: Database; name: string; holder: string; lost: AbortController }): NodeJS.Timeout {
  const { db, name, holder, lost } = lease
  let beating = false
  return setInterval(async () => {
    if (beating || lost.signal.aborted) return
    beating = true
    // When this process was busy for long, the answer may lie in the socket already: let it be read first.
    const tooLate = setTimeout(
      () =>
        setImmediate(() => beating && lost.abort(new Error(`the heartbeat of the lease "${name}" stopped`))),
      HEARTBEAT_TIMEOUT_MS,
    )
    try {
      await db
        .updateTable('leases')
        .set({ heartbeat_at: sql<Date>`clock_timestamp()` })
        .where('name', '=', name)
        .where('holder', '=', holder)
        .execute()
    } catch (error) {
      lost.abort(error)
    } finally {
      beating = false
      clearTimeout(tooLate)
    }
  }, HEARTBEAT_MS)
}

// A pool of exactly this connection. A real pool would replace a broken connection by one that holds no lock.
function onlyConnection(client: pg.Client) {
  let previous: Promise<void> = Promise.resolve()
  const connect = async (): Promise<PostgresPoolClient> => {
    const mine = deferred()
    const turn = previous
    previous = mine.promise
    await turn
    return { query: client.query.bind(client) as PostgresPoolClient['query'], release: () => mine.resolve() }
  }
  return { connect, end: () => client.end() }
}

function deferred() {
  let resolve = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
