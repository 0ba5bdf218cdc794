import { summariseStep } from '@loadcurve/core/metrics/summary'
import { levelOfSummary } from '@loadcurve/core/metrics/summary-level'
import { expect, test } from 'vitest'
import { realSteps } from './real-engine.ts'
import { factsOf, readingAt, sampleAt, shardOf } from './records.ts'

const levelOf = (
  shard: ReturnType<typeof shardOf>,
  changes = {},
  readings: ReturnType<typeof readingAt>[] = [],
) =>
  levelOfSummary(
    summariseStep({ shards: [shard], targetReadings: readings, facts: factsOf(changes) }),
    'step 3',
  )

test('level: a real engine’s step as the fit sees it', () => {
  const step = realSteps().find(({ concurrency }) => concurrency === 8)
  if (step === undefined) throw new Error('fixture has no concurrency 8')
  const level = levelOf(step.shard, { level: { batch: null, concurrency: 8, ratePerS: null } })
  expect(level).toMatchObject({
    label: 'step 3',
    kind: 'closed-loop',
    concurrency: 8,
    requests: 135,
    okFraction: 1,
    excluded: null,
  })
  expect(level.achievedConcurrency).toBeCloseTo(7.996, 3)
  expect(level.tpotMs.p95).toBeCloseTo(39.85, 2)
  // Decode batch by the fit's own formula: L - X*TTFT.
  const decodeBatch =
    (level.achievedConcurrency ?? 0) - ((level.requestsPerS ?? 0) * (level.ttftMs.mean ?? 0)) / 1_000
  expect(Math.abs(decodeBatch - 7.7)).toBeLessThan(0.2)
  expect(level.errors?.tpot).toBeGreaterThan(0)
})

test('level: sequences count, since a batch is made of them', () => {
  const four = {
    sequences: 4,
    outputTokens: 44,
    inputTokens: 200,
    contentEvents: 44,
    contentEventsInWindow: 44,
  }
  const samples = Array.from({ length: 5 }, (_, index) => sampleAt(index * 200, { index, ...four }))
  const level = levelOf(shardOf(samples), {
    batchControl: 'request',
    level: { batch: 4, concurrency: 1, ratePerS: null },
  })
  expect(level).toMatchObject({
    concurrency: 4,
    achievedConcurrency: 4,
    inputTokens: 50,
    outputTokens: 11,
    requests: 20,
  })
  expect(level.requestsPerS).toBeCloseTo(20, 9)
  expect(level.batchLimit).toBeNull()
})

test('level: in open loop TTFT is the one from the schedule', () => {
  const samples = Array.from({ length: 5 }, (_, index) =>
    sampleAt(index * 200, { index, scheduledAtMs: index * 200 - 30 }),
  )
  const level = levelOf(shardOf(samples), { level: { batch: null, concurrency: null, ratePerS: 5 } })
  expect(level).toMatchObject({ kind: 'open-loop', concurrency: null, ratePerS: 5, ttftMs: { mean: 130 } })
})

test('level: what failed a gate is excluded by its first code, and server readings go along', () => {
  const level = levelOf(
    shardOf([sampleAt(0)]),
    { batchControl: 'server', level: { batch: 16, concurrency: 1, ratePerS: null } },
    [readingAt(10, { running: 1, kvUsageFraction: 0.2 })],
  )
  expect(level).toMatchObject({ excluded: 'too-few-samples', batchLimit: 16 })
  expect(level.server).toMatchObject({ running: 1, waiting: null, kvUsageFraction: 0.2 })
  expect(levelOf(shardOf([sampleAt(0)])).server).toBeNull()
})
