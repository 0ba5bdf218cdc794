import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createGapHistogram, mergedGapStatistics } from '../../src/metrics/gap-histogram.ts'

const encoded = (gapsMs: readonly number[]): string => {
  const histogram = createGapHistogram()
  for (const gapMs of gapsMs) histogram.record(gapMs)
  return histogram.encode()
}

test('gap histogram: shards merge into the histogram of the whole, for any split (property)', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 100_000, noNaN: true }), { minLength: 1, maxLength: 200 }),
      fc.nat(200),
      (gapsMs, cut) => {
        const split = mergedGapStatistics([encoded(gapsMs.slice(0, cut)), encoded(gapsMs.slice(cut))])
        const whole = mergedGapStatistics([encoded(gapsMs)])
        expect(split.count).toBe(gapsMs.length)
        for (const percentile of [1, 50, 95, 99, 100]) {
          expect(split.percentileMs(percentile)).toBe(whole.percentileMs(percentile))
        }
      },
    ),
    { numRuns: 100, seed: 7 },
  )
})

test('gap histogram: percentiles agree with the sorted list within one part in a thousand', () => {
  const gapsMs = Array.from({ length: 999 }, (_, index) => 0.013 * (index + 1) ** 1.5)
  const statistics = mergedGapStatistics([encoded(gapsMs)])
  for (const percentile of [10, 50, 90, 95, 99]) {
    const exact = gapsMs[Math.ceil((percentile / 100) * gapsMs.length) - 1] ?? Number.NaN
    expect(Math.abs((statistics.percentileMs(percentile) ?? 0) / exact - 1)).toBeLessThan(1.5e-3)
  }
  const meanMs = gapsMs.reduce((sum, gapMs) => sum + gapMs, 0) / gapsMs.length
  expect(Math.abs((statistics.meanMs ?? 0) / meanMs - 1)).toBeLessThan(1e-3)
})

test('gap histogram: fractions of a millisecond survive', () => {
  const histogram = createGapHistogram()
  histogram.record(0.4567)
  const statistics = mergedGapStatistics([histogram.encode()])
  expect(statistics.count).toBe(1)
  expect(statistics.percentileMs(50)).toBe(0.457)
})

test('gap histogram: no gaps is null, not zero', () => {
  const statistics = mergedGapStatistics([createGapHistogram().encode()])
  expect([statistics.count, statistics.meanMs, statistics.percentileMs(50)]).toEqual([0, null, null])
})

test('gap histogram: a negative gap and a broken text are refused', () => {
  expect(() => createGapHistogram().record(-1)).toThrow('gapMs must be at least 0, got -1')
  expect(() => mergedGapStatistics(['nonsense'])).toThrow('not an encoded gap histogram')
})

test('gap histogram: gaps over a limit are counted, to its resolution', () => {
  const gapsMs = Array.from({ length: 5_000 }, (_, index) => 0.01 + index * 0.0137)
  const statistics = mergedGapStatistics([encoded(gapsMs)])
  for (const limitMs of [0, 0.5, 7, 40, 60, 68.5, 1_000]) {
    const surely = gapsMs.filter((gapMs) => gapMs > limitMs * 1.001 + 0.001).length
    const perhaps = gapsMs.filter((gapMs) => gapMs > limitMs * 0.999 - 0.001).length
    expect(statistics.countOver(limitMs)).toBeGreaterThanOrEqual(surely)
    expect(statistics.countOver(limitMs)).toBeLessThanOrEqual(perhaps)
  }
  expect(mergedGapStatistics([]).countOver(1)).toBe(0)
})
