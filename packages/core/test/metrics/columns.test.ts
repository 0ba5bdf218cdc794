import {
  commonWindow,
  flightIntervals,
  measuredColumns,
  measuredSamples,
} from '@loadcurve/core/metrics/columns'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { failedAt, sampleAt, sampleOf, shardOf } from './records.ts'

test('columns: measured samples come in the order of the schedule, whatever order the shards wrote', () => {
  const indices = fc.uniqueArray(fc.nat(500), { maxLength: 60 })
  fc.assert(
    fc.property(indices, fc.nat(3), (list, shards) => {
      const records = Array.from({ length: shards + 1 }, (_, shard) =>
        shardOf(
          list.filter((_one, place) => place % (shards + 1) === shard).map((index) => sampleOf({ index })),
        ),
      )
      expect(measuredSamples(records).map((sample) => sample.index)).toEqual(
        list.toSorted((left, right) => left - right),
      )
    }),
    { seed: 10 },
  )
})

test('columns: an index that appears twice loses no sample', () => {
  expect(measuredSamples([shardOf([sampleOf(), sampleOf()])])).toHaveLength(2)
})

test('columns: warm-up and tail are not measured', () => {
  const samples = [
    sampleOf({ phase: 'warmup' }),
    sampleOf({ index: 1 }),
    sampleOf({ index: 2, phase: 'tail' }),
  ]
  expect(measuredSamples([shardOf(samples)])).toHaveLength(1)
})

test('columns: only successful requests have latencies; cancelled ones are neither ok nor failed', () => {
  const columns = measuredColumns([
    sampleOf(),
    failedAt(0),
    sampleOf({ outcome: 'cancelled' }),
    sampleOf({ outputTokens: 1 }),
  ])
  expect([...columns.ok]).toEqual([1, 0, 0, 1])
  expect([...columns.failed]).toEqual([0, 1, 0, 0])
  expect([...columns.latency.ttft.perRequest]).toEqual([100, Number.NaN, Number.NaN, 100])
  expect([...columns.latency.tpot.values]).toEqual([10])
})

test('columns: reasoning gives the first visible token a column of its own', () => {
  const columns = measuredColumns([sampleOf(), sampleOf({ firstVisibleAtMs: 150 })])
  expect([...columns.latency.firstVisibleToken.values]).toEqual([100, 150])
  expect([...columns.latency.ttft.values]).toEqual([100, 100])
})

test('columns: in flight from sent to the end; who never ended, to the end of the window; who was never sent, not', () => {
  const endless = sampleAt(100, { outcome: 'timeout', lastContentAtMs: null, closedAtMs: null })
  const { startAtMs, endAtMs } = flightIntervals(
    [shardOf([sampleAt(0), endless, sampleOf({ sentAtMs: null })])],
    1_000,
  )
  expect([...startAtMs]).toEqual([0, 100])
  expect([...endAtMs]).toEqual([200, 1_000])
})

test('columns: the window is what all shards measured', () => {
  const shards = [
    shardOf([], { windowStartMs: 10, windowEndMs: 900 }),
    shardOf([], { windowStartMs: 0, windowEndMs: 800 }),
  ]
  expect(commonWindow(shards)).toEqual({ startMs: 10, endMs: 800 })
})
