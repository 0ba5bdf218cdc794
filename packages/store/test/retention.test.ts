import { acquireLease, type Lease } from '@loadcurve/store/lease'
import { applyRetention } from '@loadcurve/store/retention'
import { endRun, getRun } from '@loadcurve/store/runs'
import { claimShard, listShards, markShardReady, shardRecords, storeShard } from '@loadcurve/store/shards'
import { listSteps, startStep } from '@loadcurve/store/steps'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase, unknownId } from './support/fresh-database.ts'
import { newRun } from './support/plan.ts'
import { record } from './support/record.ts'

let store: Awaited<ReturnType<typeof freshDatabase>>
beforeAll(async () => {
  store = await freshDatabase()
})
afterAll(() => store.close())

async function runThatEnded(daysAgo: number) {
  const lease = (await acquireLease(store.connectionString, 'retention')) as Lease
  const run = await newRun(store.db)
  const key = { runId: run.id, step: 0, attempt: 1 }
  const level = { batch: null, concurrency: 1, ratePerS: null }
  await startStep(lease.db, { key, holder: lease.holder, purpose: 'grid', level, shardsCount: 1, order: {} })
  await claimShard(store.db, { ...key, shard: 0 }, unknownId())
  await markShardReady(store.db, { ...key, shard: 0 })
  await storeShard(store.db, { ...key, shard: 0 }, record(0, 10))
  await endRun(store.db, run.id, { state: 'finished', reason: null, message: null })
  await sql`update runs set finished_at = now() - ${daysAgo} * interval '1 day' where id = ${run.id}`.execute(
    store.db,
  )
  await lease.release()
  return key
}

test('retention: old samples go, their step stays; older runs go whole; young ones keep everything', async () => {
  const [young, old, oldest] = [await runThatEnded(1), await runThatEnded(40), await runThatEnded(400)]
  const counts = await applyRetention(store.db, { samplesDays: 30, runsDays: 365 })
  expect(counts).toEqual({ runsDeleted: 1, runsStripped: 1 })
  expect(await shardRecords(store.db, young)).toHaveLength(1)
  expect(await shardRecords(store.db, old)).toEqual([])
  expect(await listShards(store.db, old)).toMatchObject([{ samplesCount: 10, state: 'finished' }])
  expect(await listSteps(store.db, old.runId)).toHaveLength(1)
  expect(await getRun(store.db, oldest.runId)).toBeNull()
  expect(await applyRetention(store.db, { samplesDays: null, runsDays: null })).toEqual({
    runsDeleted: 0,
    runsStripped: 0,
  })
})
