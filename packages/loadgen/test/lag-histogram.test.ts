import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LagHistogram } from '../src/lag-histogram.ts'

test('lag histogram: a percentile is never below the sorted list and at most 2 % above it (property)', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.001, max: 100_000, noNaN: true }), { minLength: 1, maxLength: 300 }),
      fc.integer({ min: 1, max: 100 }),
      (lagsMs, percentile) => {
        const histogram = new LagHistogram()
        for (const lagMs of lagsMs) histogram.record(lagMs)
        const sorted = lagsMs.toSorted((a, b) => a - b)
        const exactMs = sorted[Math.ceil((percentile / 100) * sorted.length) - 1] ?? Number.NaN
        const ratio = (histogram.percentileMs(percentile) ?? 0) / exactMs
        expect(ratio).toBeGreaterThan(1 - 1e-9)
        expect(ratio).toBeLessThan(1.02 + 1e-9)
      },
    ),
    { seed: 3 },
  )
})

test('lag histogram: empty is null, zero and beyond the range are counted at the edges', () => {
  const histogram = new LagHistogram()
  expect(histogram.percentileMs(50)).toBeNull()
  histogram.record(0)
  histogram.record(1e12)
  expect(histogram.percentileMs(50)).toBe(0.001)
  expect(histogram.percentileMs(100)).toBeGreaterThan(600_000)
  histogram.record(5, 8)
  expect(histogram.count).toBe(10)
  expect(histogram.percentileMs(50)).toBeGreaterThanOrEqual(5)
  expect(histogram.percentileMs(50)).toBeLessThan(5.1)
  histogram.reset()
  expect(histogram.count).toBe(0)
})
