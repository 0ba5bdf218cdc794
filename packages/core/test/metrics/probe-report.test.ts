import { probeReport } from '@loadcurve/core/metrics/probe-report'
import { summariseStep } from '@loadcurve/core/metrics/summary'
import { expect, test } from 'vitest'
import { factsOf, readingAt, sampleAt, shardOf } from './records.ts'

const samples = Array.from({ length: 100 }, (_, index) => sampleAt(index * 200, { index }))
const shard = shardOf(samples, { windowEndMs: 20_000 })
const summary = summariseStep({
  shards: [shard],
  targetReadings: [],
  facts: factsOf({ fingerprint: { engine: 'vllm' } }),
})
const report = probeReport(summary)

test('probe report: the shape that other programs rely on', () => {
  const latency = ['mean', 'n', 'p50', 'p90', 'p95', 'p99', 'tooFew']
  expect(report.schemaVersion).toBe(1)
  for (const key of [
    'ttftMs',
    'ttftScheduledMs',
    'tpotMs',
    'gapMs',
    'e2eMs',
    'firstVisibleTokenMs',
  ] as const) {
    expect(Object.keys(report[key]).toSorted()).toEqual(latency)
  }
  expect(report.requests).toMatchObject({
    scheduled: 100,
    ok: 100,
    failed: 0,
    byOutcome: { ok: 100, timeout: 0 },
  })
  expect(report.concurrency).toEqual({ nominal: 1, achieved: 1, decodeBatch: expect.closeTo(0.5, 12) })
  expect(report).toMatchObject({
    windowS: 20,
    outputTokensSource: 'usage',
    validJsonMs: null,
    serverQueueMs: null,
  })
  expect(report.goodput).toEqual({ fraction: 1, perS: 5 })
  expect(report.littlesLaw).toEqual({ ratio: 1, holds: true })
  expect(report.fingerprint).toEqual({ engine: 'vllm' })
  expect(report.generator).toMatchObject({ healthy: true, reasons: [], cpuUsPerEvent: 15, calibration: null })
})

test('probe report: a percentile that n is too small for is null, and named', () => {
  expect(report.ttftMs).toMatchObject({
    n: 100,
    p50: 100,
    p90: 100,
    p95: null,
    p99: null,
    tooFew: ['p95', 'p99'],
  })
})

test('probe report: missing values are null, and survive JSON', () => {
  const empty = probeReport(summariseStep({ shards: [shardOf([])], targetReadings: [], facts: factsOf() }))
  expect(empty).toMatchObject({ requestsPerS: null, ttftMs: { n: 0, mean: null, p50: null } })
  expect(JSON.parse(JSON.stringify(empty))).toEqual(empty)
})

test('probe report: the server’s queue time has a mean and no percentiles', () => {
  const readings = [0, 1, 2].map((step) =>
    readingAt(step, { queueTimeSumS: step * 0.2, queueTimeCount: step * 4 }),
  )
  const found = probeReport(summariseStep({ shards: [shard], targetReadings: readings, facts: factsOf() }))
  expect(found.serverQueueMs).toMatchObject({ n: 8, mean: 50, p50: null })
})
