import { createGapHistogram, mergedGapStatistics } from '@loadcurve/core/metrics/gap-histogram'
import { gapStatistics, latencyStatistics, NO_STATISTICS } from '@loadcurve/core/metrics/latency-statistics'
import { seededRandom } from '@loadcurve/core/random'
import { expect, test } from 'vitest'

const statisticsOf = (list: readonly number[]) => {
  const values = Float64Array.from(list)
  return latencyStatistics({ values, sorted: values.slice().sort() })
}

test('latency statistics: percentiles, ranks and mean of shuffled 1 to 1000', () => {
  const random = seededRandom(9)
  const shuffled = Array.from({ length: 1_000 }, (_, index) => ({ value: index + 1, key: random() }))
    .sort((left, right) => left.key - right.key)
    .map(({ value }) => value)
  const found = statisticsOf(shuffled)
  // Type 7: 1 + 999*p. The 936th and 964th of 1 to 1000 are 936 and 964.
  expect(found).toMatchObject({
    n: 1_000,
    mean: 500.5,
    p50: 500.5,
    p90: 900.1,
    p95: 950.05,
    max: 1_000,
    tooFew: [],
  })
  expect(found.p99).toBeCloseTo(990.01, 9)
  expect(found.intervals?.p95).toEqual([936, 964])
  expect(found.effectiveN).toBeGreaterThan(800)
  // sd/sqrt(n)/mean of independent values, from 30 batches: within 40 %.
  expect((found.relativeError ?? 0) / (288.8 / Math.sqrt(1_000) / 500.5)).toBeGreaterThan(0.6)
  expect((found.relativeError ?? 0) / (288.8 / Math.sqrt(1_000) / 500.5)).toBeLessThan(1.4)
})

test('latency statistics: of nothing are null, and every percentile is too few', () => {
  expect(statisticsOf([])).toEqual(NO_STATISTICS)
  expect(NO_STATISTICS.tooFew).toEqual(['p90', 'p95', 'p99'])
})

test('gap statistics: worth as many values as there were engine steps', () => {
  // 50 streams in lockstep, one token each every 20 ms for 2 s: 5,000 gaps from 100 engine steps.
  const histogram = createGapHistogram()
  for (let gap = 0; gap < 5_000; gap++) histogram.record(20)
  const found = gapStatistics(mergedGapStatistics([histogram.encode()]), 2_000)
  expect(found).toMatchObject({ n: 5_000, tooFew: ['p95', 'p99'], intervals: null })
  expect(found.effectiveN).toBeCloseTo(100, 0)
  expect(found.p50).toBeCloseTo(20, 1)
  expect(gapStatistics(mergedGapStatistics([]), 2_000)).toEqual(NO_STATISTICS)
})
