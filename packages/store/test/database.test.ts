import { migrateDatabase, openDatabase } from '@loadcurve/store/database'
import { appendEvent, eventsAfter } from '@loadcurve/store/events'
import { MIGRATIONS } from '@loadcurve/store/migrations/all'
import {
  connectedLoadProcesses,
  connectedWorkers,
  heartbeatWorker,
  noteMissingWorkers,
  removeWorker,
} from '@loadcurve/store/workers'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dropConnections, freshDatabase, unknownId } from './support/fresh-database.ts'
import { newRun } from './support/plan.ts'

let store: Awaited<ReturnType<typeof freshDatabase>>
beforeAll(async () => {
  store = await freshDatabase()
})
afterAll(() => store.close())

const tables = async () => {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_name not like 'kysely%' order by 1`.execute(store.db)
  return rows.map(({ name }) => name)
}

test('migrations: going down removes everything that going up made, and it can be made again, by several at once', async () => {
  const before = await tables()
  expect(before).toContain('shards')
  for (const migration of Object.values(MIGRATIONS).reverse()) await migration.down?.(store.db)
  expect(await tables()).toEqual([])
  await sql`drop table kysely_migration, kysely_migration_lock`.execute(store.db)
  const starters = Array.from({ length: 3 }, () =>
    openDatabase({ connectionString: store.connectionString, onError: () => {} }),
  )
  await Promise.all(starters.map(({ db }) => migrateDatabase(db)))
  await Promise.all(starters.map(({ close }) => close()))
  expect(await tables()).toEqual(before)
})

test('database: a connection that breaks while somebody holds it ends a question, not the process', async () => {
  const { db, close } = openDatabase({ connectionString: store.connectionString, onError: () => {} })
  const held = db.connection().execute(async (connection) => {
    await sql`select 1`.execute(connection)
    await dropConnections(store.connectionString)
    // Nobody asks anything in the moment in which it breaks.
    await new Promise((resolve) => setTimeout(resolve, 100))
    return sql`select 1`.execute(connection)
  })
  await expect(held).rejects.toThrow()
  expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
  await close()
})

test('workers: one that is silent for ten seconds is not connected', async () => {
  const worker = (id: string) => ({ id, host: 'h', pid: 1, version: '0', loadProcesses: 2 })
  const [present, silent, left] = [unknownId(), unknownId(), unknownId()]
  for (const id of [present, silent, left]) await heartbeatWorker(store.db, worker(id))
  await sql`update workers set seen_at = now() - interval '11 seconds' where id = ${silent}`.execute(store.db)
  await removeWorker(store.db, left)
  expect((await connectedWorkers(store.db)).map(({ id }) => id)).toEqual([present])
  await heartbeatWorker(store.db, worker(silent))
  expect(await connectedWorkers(store.db)).toHaveLength(2)
  expect(await connectedLoadProcesses(store.db)).toBe(4)
})

test('workers: a run that waits for one says so once, until something else happened', async () => {
  await sql`update workers set seen_at = now() - interval '1 minute'`.execute(store.db)
  const run = await newRun(store.db)
  const said = async () => (await eventsAfter(store.db, run.id, 0)).map(({ kind }) => kind)
  expect(await noteMissingWorkers(store.db)).toEqual([run.id])
  expect(await noteMissingWorkers(store.db)).toEqual([])
  expect(await said()).toEqual(['run-waiting', 'no-worker-connected'])
  await heartbeatWorker(store.db, { id: unknownId(), host: 'h', pid: 1, version: '0', loadProcesses: 2 })
  await appendEvent(store.db, run.id, 'run-started', {})
  expect(await noteMissingWorkers(store.db)).toEqual([])
})
