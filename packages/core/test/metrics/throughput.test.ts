import {
  completionInstants,
  contentEventSeries,
  requestsPerS,
  requestsPerSError,
  wholeRunS,
} from '@loadcurve/core/metrics/throughput'
import { seededRandom } from '@loadcurve/core/random'
import { expect, test } from 'vitest'
import { failedAt, sampleAt, shardOf } from './records.ts'

const window = { startMs: 0, endMs: 1_000 }

test('throughput: n completions bound n - 1 intervals', () => {
  expect(requestsPerS(Float64Array.from([900, 100, 500]))).toBe(2.5)
  expect(requestsPerS(Float64Array.from([5]))).toBeNull()
  expect(requestsPerS(Float64Array.from([5, 5]))).toBeNull()
  expect(requestsPerS(new Float64Array())).toBeNull()
})

test('throughput: only successful completions inside the window, whenever they started', () => {
  const samples = [
    sampleAt(-100, { phase: 'warmup' }),
    sampleAt(300),
    failedAt(400),
    sampleAt(799.5),
    sampleAt(800),
    sampleAt(-200),
  ]
  expect([...completionInstants([shardOf(samples)], window)].sort()).toEqual([0, 100, 500, 999.5])
})

test('throughput: the error of a Poisson rate is 1/sqrt(n)', () => {
  const n = 3_000
  const random = seededRandom(12)
  const runs = Array.from(
    { length: 50 },
    () =>
      requestsPerSError(
        Float64Array.from({ length: n }, () => random() * 1_000),
        window,
      ) ?? 0,
  )
  const mean = runs.reduce((sum, one) => sum + one, 0) / runs.length
  // An error from 30 counts is known to 13 %, the mean of 50 to 2 %; n is fixed here, which changes nothing visible.
  expect(mean * Math.sqrt(n)).toBeGreaterThan(0.92)
  expect(mean * Math.sqrt(n)).toBeLessThan(1.08)
  expect(requestsPerSError(Float64Array.from([1, 2, 3]), window)).toBeNull()
})

test('throughput: bins of shards add up, those not wholly inside every window are left out', () => {
  const bins = (counts: number[], binMs = 300) => shardOf([], { contentEventBins: { binMs, counts } })
  expect(contentEventSeries([bins([1, 2, 3, 4]), bins([10, 20, 30])], window)).toEqual({
    binMs: 300,
    contentEvents: [11, 22, 33],
  })
  expect(contentEventSeries([bins([1]), bins([10, 20])], window).contentEvents).toEqual([11])
  expect(() => contentEventSeries([bins([1]), bins([1], 100)], window)).toThrow(
    'shards must share a bin width, got 300 and 100',
  )
})

test('throughput: the whole run lasts from the first send to the last end', () => {
  expect(
    wholeRunS({ startAtMs: Float64Array.from([500, -500]), endAtMs: Float64Array.from([2_000, 900]) }),
  ).toBe(2.5)
  expect(wholeRunS({ startAtMs: new Float64Array(), endAtMs: new Float64Array() })).toBe(0)
})
