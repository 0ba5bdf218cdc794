import { lengthDraw, meanLength } from '@loadcurve/core/load/lengths'
import { seededRandom } from '@loadcurve/core/random'
import { describe, expect, test } from 'vitest'

function drawn(distribution: Parameters<typeof lengthDraw>[0], n: number, seed: number): number[] {
  const random = seededRandom(seed)
  const draw = lengthDraw(distribution)
  return Array.from({ length: n }, () => draw(random))
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

describe('lengths', () => {
  test.each([
    { distribution: 'normal', mean: 256, stdev: 32 },
    { distribution: 'lognormal', mean: 400, stdev: 600 },
  ] as const)('$distribution: mean and stdev are the ones asked for', (distribution) => {
    const n = 50_000
    const values = drawn(distribution, n, 7)
    const seen = mean(values)
    const sd = Math.sqrt(mean(values.map((value) => (value - seen) ** 2)))
    expect(Math.abs(seen - distribution.mean)).toBeLessThan((4 * distribution.stdev) / Math.sqrt(n) + 0.05)
    // A lognormal of cv 1.5 has kurtosis near 100; the sampling sd of its sd is sqrt((k - 1) / 4n).
    const kurtosis = distribution.distribution === 'normal' ? 3 : 200
    expect(Math.abs(sd / distribution.stdev - 1)).toBeLessThan(4 * Math.sqrt((kurtosis - 1) / (4 * n)))
  })

  test('normal: truncation redraws, so no mass piles up at 1 or at max', () => {
    const values = drawn({ distribution: 'normal', mean: 20, stdev: 20, max: 60 }, 40_000, 8)
    expect(Math.min(...values)).toBe(1)
    expect(Math.max(...values)).toBe(60)
    // Density at the edges is below that of the mode, 1 / (20 sqrt(2 pi) (1 - tails)) = 0.0248.
    expect(values.filter((value) => value === 1).length / values.length).toBeLessThan(0.0248)
    expect(values.filter((value) => value === 60).length / values.length).toBeLessThan(0.0248)
  })

  test('a truncation that leaves nothing is clamped instead of looping', () => {
    expect(drawn({ distribution: 'normal', mean: 1000, stdev: 1, max: 10 }, 3, 9)).toEqual([10, 10, 10])
  })

  test('constant and empirical draw only what they were given', () => {
    expect(new Set(drawn({ distribution: 'normal', mean: 96, stdev: 0 }, 50, 1))).toEqual(new Set([96]))
    expect(new Set(drawn({ distribution: 'empirical', values: [5, 9, 700] }, 200, 1))).toEqual(
      new Set([5, 9, 700]),
    )
    expect(meanLength({ distribution: 'empirical', values: [5, 9, 700] })).toBe(238)
  })

  test.each([
    [{ distribution: 'normal', mean: 0, stdev: 1 }, 'mean must be at least 1 token, got 0'],
    [{ distribution: 'lognormal', mean: 5, stdev: -1 }, 'stdev must not be negative, got -1'],
    [{ distribution: 'normal', mean: 5, stdev: 1, min: 9, max: 8 }, 'max must be at least 9, got 8'],
    [{ distribution: 'empirical', values: [] }, 'an empirical distribution needs at least one value'],
    [{ distribution: 'empirical', values: [3, 0] }, 'empirical lengths must be at least 1, got 0'],
  ] as const)('%j is refused with its value', (distribution, message) => {
    expect(() => lengthDraw(distribution)).toThrow(message)
  })
})
