import type { StepSummary } from '@loadcurve/core/metrics/step-summary'
import type { ShardProgress } from '@loadcurve/core/run/progress'
import { acquireLease, FLEET_LEASE, type Lease } from '@loadcurve/store/lease'
import { requestCancel, startRun } from '@loadcurve/store/runs'
import {
  answerLook,
  claimShard,
  failShard,
  listShards,
  lookedSamples,
  markShardReady,
  saveShardProgress,
  shardRecords,
  storeShard,
} from '@loadcurve/store/shards'
import {
  askForLook,
  closeStep,
  extendStep,
  finishStep,
  listSteps,
  nextAttempt,
  saveTargetReadings,
  setStartAt,
  startStep,
  stepLife,
  targetReadings,
} from '@loadcurve/store/steps'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { freshDatabase, unknownId } from './support/fresh-database.ts'
import { newRun } from './support/plan.ts'
import { record, sample } from './support/record.ts'

let store: Awaited<ReturnType<typeof freshDatabase>>
let lease: Lease
beforeAll(async () => {
  store = await freshDatabase()
})
afterAll(() => store.close())
beforeEach(async () => {
  lease = (await acquireLease(store.connectionString, FLEET_LEASE)) as Lease
})
afterEach(() => lease.release())

const level = { batch: null, concurrency: 8, ratePerS: null }
// The store keeps a summary as it is; which figures it holds is not its business.
const summary = { requestsPerS: 4 } as StepSummary
const result = { summary, predicted: null, excluded: null }

async function begin(shardsCount = 2, attempt = 1) {
  const run = await newRun(store.db)
  await startRun(store.db, run.id)
  const key = { runId: run.id, step: 0, attempt }
  await startStep(lease.db, {
    key,
    holder: lease.holder,
    purpose: 'grid',
    level,
    shardsCount,
    order: { seed: 1 },
  })
  return key
}

test('steps: an attempt is begun with its shards, finished once, and never finished twice', async () => {
  const key = await begin()
  expect(await listShards(store.db, key)).toHaveLength(2)
  await finishStep(lease.db, key, result)
  await expect(finishStep(lease.db, key, result)).rejects.toThrow('is not being measured')
  await closeStep(lease.db, key, { state: 'abandoned', reason: 'conductor-lost', message: null })
  expect(await listSteps(store.db, key.runId)).toMatchObject([
    { ...key, state: 'finished', level, summary: { requestsPerS: 4 } },
  ])
})

test('steps: a repeated step keeps its number and counts its attempts', async () => {
  const key = await begin()
  expect(await nextAttempt(store.db, key.runId, 1)).toBe(1)
  await closeStep(lease.db, key, { state: 'abandoned', reason: 'conductor-lost', message: null })
  expect(await nextAttempt(store.db, key.runId, 0)).toBe(2)
  const again = { ...key, attempt: 2 }
  await startStep(lease.db, {
    key: again,
    holder: lease.holder,
    purpose: 'grid',
    level,
    shardsCount: 1,
    order: {},
  })
  expect((await listSteps(store.db, key.runId)).map(({ attempt, state }) => [attempt, state])).toEqual([
    [1, 'abandoned'],
    [2, 'running'],
  ])
})

test('step life: ends with the attempt, with a cancellation, with the lease, and with another holder', async () => {
  const life = async (key: Parameters<typeof stepLife>[1]) =>
    (await stepLife(store.db, key, FLEET_LEASE)).isLive
  const closed = await begin()
  expect(await life(closed)).toBe(true)
  await closeStep(lease.db, closed, { state: 'failed', reason: 'x', message: null })
  expect(await life(closed)).toBe(false)

  const cancelled = await begin()
  await requestCancel(store.db, cancelled.runId)
  expect(await life(cancelled)).toBe(false)

  const orphaned = await begin()
  await lease.release()
  await expect.poll(() => life(orphaned)).toBe(false)
  lease = (await acquireLease(store.connectionString, FLEET_LEASE)) as Lease
  expect(await life(orphaned)).toBe(false)
  expect(await life({ runId: unknownId(), step: 0, attempt: 1 })).toBe(false)
})

test('barrier: every shard sees the same start, on the clock of the database', async () => {
  const key = await begin()
  expect((await stepLife(store.db, key, FLEET_LEASE)).startAt).toBeNull()
  const startAt = await setStartAt(lease.db, key, 250)
  const life = await stepLife(store.db, key, FLEET_LEASE)
  expect(life.startAt).toEqual(startAt)
  expect(startAt.getTime() - life.now.getTime()).toBeLessThanOrEqual(250)
})

test('shards: a record comes back as it was, is stored once, and only by who drove it', async () => {
  const key = await begin(2)
  const [first, second] = [
    { ...key, shard: 0 },
    { ...key, shard: 1 },
  ]
  const worker = unknownId()
  expect(await claimShard(store.db, first, worker)).toBe(true)
  expect(await claimShard(store.db, first, unknownId())).toBe(false)
  // Not ready yet: nothing can have been measured.
  expect(await storeShard(store.db, first, record(0, 3))).toBe(false)
  await markShardReady(store.db, first)
  expect(await storeShard(store.db, first, record(0, 1000))).toBe(true)
  expect(await storeShard(store.db, first, record(0, 7))).toBe(false)
  await failShard(store.db, second, 'killed')
  await failShard(store.db, first, 'too late to fail')
  expect(await listShards(store.db, key)).toMatchObject([
    { shard: 0, state: 'finished', workerId: worker, samplesCount: 1000, message: null },
    { shard: 1, state: 'failed', workerId: null, samplesCount: null, message: 'killed' },
  ])
  expect(await shardRecords(store.db, key)).toEqual([record(0, 1000)])
})

test('shards: the record of a closed attempt is not wanted', async () => {
  const key = await begin(1)
  const shard = { ...key, shard: 0 }
  await claimShard(store.db, shard, unknownId())
  await markShardReady(store.db, shard)
  await closeStep(lease.db, key, { state: 'abandoned', reason: 'conductor-lost', message: null })
  expect(await storeShard(store.db, shard, record(0, 5))).toBe(false)
  expect(await shardRecords(store.db, key)).toEqual([])
})

test('target metrics: come back as they were read; none is an empty list', async () => {
  const key = await begin(1)
  expect(await targetReadings(store.db, key)).toEqual([])
  const reading = {
    atMs: 5,
    running: 3,
    waiting: null,
    kvUsageFraction: 0.5,
    queueTimeMeanMs: null,
    preemptions: null,
    prefixCacheHitFraction: null,
    generationTokens: null,
  }
  await saveTargetReadings(lease.db, key, [reading] as never)
  expect(await targetReadings(store.db, key)).toEqual([reading])
})

test('a look: each shard shows what it has, and the conductor moves the end of the window', async () => {
  const key = await begin(2)
  const shards = [0, 1].map((shard) => ({ ...key, shard }))
  for (const shard of shards) {
    await claimShard(store.db, shard, unknownId())
    await markShardReady(store.db, shard)
  }
  expect(await lookedSamples(store.db, key)).toEqual([])
  const look = await askForLook(lease.db, key)
  expect(await stepLife(store.db, key, FLEET_LEASE)).toMatchObject({ look: 1, extendUntilMs: null })
  for (const shard of shards) await answerLook(store.db, shard, { look, samples: [sample(shard.shard)] })
  expect((await listShards(store.db, key)).map((shard) => shard.look)).toEqual([1, 1])
  expect((await lookedSamples(store.db, key)).map(({ index }) => index).sort()).toEqual([0, 1])
  await extendStep(lease.db, key, 20_000)
  expect((await stepLife(store.db, key, FLEET_LEASE)).extendUntilMs).toBe(20_000)
})

test('progress: is shown while the shard loads, and not after it ended', async () => {
  const key = await begin(1)
  const shard = { ...key, shard: 0 }
  const progress: ShardProgress = {
    ...{
      phase: 'window',
      atMs: 1,
      windowOpenAtMs: 0,
      inFlight: 1,
      started: 1,
      ended: 0,
      failed: 0,
      dropped: 0,
    },
    ...{ measuredStarted: 1, measuredEnded: 0, endedPerS: 0, contentEventsPerS: 0 },
    ...{ ttftP50Ms: null, tpotP50Ms: null, generatorLagP99Ms: null },
  }
  await claimShard(store.db, shard, unknownId())
  await markShardReady(store.db, shard)
  await saveShardProgress(store.db, shard, progress)
  await failShard(store.db, shard, 'killed')
  await saveShardProgress(store.db, shard, { ...progress, ended: 1 })
  expect(await listShards(store.db, key)).toMatchObject([{ progress, state: 'failed' }])
})
