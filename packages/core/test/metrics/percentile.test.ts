import { percentileOfSorted, rankInterval, tooFewFor } from '@loadcurve/core/metrics/percentile'
import { seededRandom } from '@loadcurve/core/random'
import fc from 'fast-check'
import { expect, test } from 'vitest'

// R: quantile(c(1, 2, 4, 8, 16), c(.1, .25, .5, .9, .95), type = 7)
test('percentile: type 7 as R computes it', () => {
  const sorted = [1, 2, 4, 8, 16]
  const at = (percentile: number) => percentileOfSorted(sorted, percentile)
  expect([10, 25, 50, 90, 95].map(at)).toEqual(
    [1.4, 2, 4, 12.8, 14.4].map((value) => expect.closeTo(value, 12)),
  )
  expect([0, 100].map(at)).toEqual([1, 16])
})

test('percentile: of nothing is null, of one value that value', () => {
  expect(percentileOfSorted([], 95)).toBeNull()
  expect(percentileOfSorted([7], 95)).toBe(7)
  expect(() => percentileOfSorted([1], 101)).toThrow('percentile must lie in [0, 100], got 101')
})

test('percentile: never decreases, and stays between its neighbours', () => {
  const values = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 50 })
  fc.assert(
    fc.property(
      values,
      fc.double({ min: 0, max: 100, noNaN: true }),
      fc.double({ min: 0, max: 100, noNaN: true }),
      (list, left, right) => {
        const sorted = Float64Array.from(list).sort()
        const [low, high] = [Math.min(left, right), Math.max(left, right)].map(
          (one) => percentileOfSorted(sorted, one) ?? Number.NaN,
        )
        expect(low).toBeLessThanOrEqual((high ?? Number.NaN) + 1e-9)
        expect(low).toBeGreaterThanOrEqual((sorted[0] ?? 0) - 1e-9)
      },
    ),
    { seed: 2 },
  )
})

test('rank interval: the published ranks', () => {
  expect(rankInterval({ n: 200, percentile: 95 })).toEqual([184, 197])
  expect(rankInterval({ n: 1_000, percentile: 95 })).toEqual([936, 964])
})

test('rank interval: it is open on a side where no value is far enough out', () => {
  // P(all 20 below p95) = 0.36: no upper rank exists. 0.95^72 = 0.0249 is the first below 0.025.
  expect(rankInterval({ n: 20, percentile: 95 })[1]).toBeNull()
  expect(rankInterval({ n: 71, percentile: 95 })[1]).toBeNull()
  expect(rankInterval({ n: 73, percentile: 95 })[1]).toBe(73)
  expect(rankInterval({ n: 0, percentile: 95 })).toEqual([null, null])
})

test('rank interval: it holds the true percentile at least as often as it says', () => {
  const random = seededRandom(5)
  const [n, runs] = [150, 4_000]
  const [lower, upper] = rankInterval({ n, percentile: 90 })
  let held = 0
  for (let run = 0; run < runs; run++) {
    const sorted = Float64Array.from({ length: n }, random).sort()
    if ((sorted[(lower ?? 1) - 1] ?? 1) <= 0.9 && (sorted[(upper ?? n) - 1] ?? 0) >= 0.9) held++
  }
  expect(held / runs).toBeGreaterThan(0.95 - 4 * Math.sqrt((0.95 * 0.05) / runs))
})

test('percentile: below the least n it is too few', () => {
  expect(tooFewFor(63)).toEqual(['p90', 'p95', 'p99'])
  expect(tooFewFor(64)).toEqual(['p95', 'p99'])
  expect(tooFewFor(130)).toEqual(['p99'])
  expect(tooFewFor(662)).toEqual([])
})
