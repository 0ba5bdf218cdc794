import {
  arrivals,
  gammaArrivals,
  rampArrivals,
  traceArrivals,
  unitGamma,
} from '@loadcurve/core/load/arrivals'
import { seededRandom } from '@loadcurve/core/random'
import { describe, expect, test } from 'vitest'

function take<T>(source: Iterable<T>, count: number): T[] {
  const taken: T[] = []
  for (const value of source) {
    taken.push(value)
    if (taken.length === count) break
  }
  return taken
}

function gapsOf(offsets: readonly number[]): number[] {
  return offsets.map((offset, index) => offset - (offsets[index - 1] ?? 0))
}

function moments(values: readonly number[]): { mean: number; cv: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1)
  return { mean, cv: Math.sqrt(variance) / mean }
}

describe('arrivals', () => {
  test('constant: the millionth arrival has not drifted', () => {
    const offsets = take(arrivals({ process: 'constant', ratePerS: 3 }, seededRandom(1)), 1_000_000)
    expect(offsets[999_999]).toBe(999_999_000 / 3)
  })

  test('poisson: gaps have the mean and the coefficient of variation of an exponential', () => {
    const n = 40_000
    const { mean, cv } = moments(
      gapsOf(take(arrivals({ process: 'poisson', ratePerS: 8 }, seededRandom(2)), n)),
    )
    expect(Math.abs(mean - 125)).toBeLessThan((4 * 125) / Math.sqrt(n))
    // The sampling sd of an exponential's cv is 1/sqrt(n) to first order.
    expect(Math.abs(cv - 1)).toBeLessThan(4 / Math.sqrt(n))
  })

  test.each([0.5, 1, 2, 3])('gamma: cv %s is what comes out', (cv) => {
    const n = 60_000
    const gaps = gapsOf(take(gammaArrivals({ ratePerS: 4, cv }, seededRandom(3)), n))
    const seen = moments(gaps)
    expect(Math.abs(seen.mean - 250)).toBeLessThan((4 * 250 * cv) / Math.sqrt(n))
    // Excess kurtosis of a gamma is 6 cv^2, which sets the sampling error of its cv.
    expect(Math.abs(seen.cv / cv - 1)).toBeLessThan(
      4 * Math.sqrt((2 + 6 * cv * cv) / (4 * n)) + 4 * (cv / Math.sqrt(n)),
    )
  })

  test('gamma deviates of shape 1/4: the distribution function at the mean agrees with the incomplete gamma', () => {
    const random = seededRandom(4)
    const n = 40_000
    let below = 0
    for (let draw = 0; draw < n; draw++) if (unitGamma(0.25, random) <= 0.25) below++
    // P(1/4, 1/4) = x^a e^-x sum x^k / Gamma(a + k + 1), summed to double precision.
    expect(Math.abs(below / n - 0.74368)).toBeLessThan(4 * Math.sqrt((0.74368 * 0.25632) / n) + 5e-5)
  })

  test('ramp: counts in each quarter follow the integral of the rate', () => {
    const rampMs = 4_000_000
    const counts = [0, 0, 0, 0]
    for (const offset of rampArrivals({ fromPerS: 0, toPerS: 10, rampMs }, seededRandom(5))) {
      if (offset >= rampMs) break
      const quarter = Math.floor((4 * offset) / rampMs)
      counts[quarter] = (counts[quarter] ?? 0) + 1
    }
    for (const [quarter, count] of counts.entries()) {
      const expected = (20_000 * (2 * quarter + 1)) / 16
      expect(Math.abs(count - expected)).toBeLessThan(4 * Math.sqrt(expected))
    }
  })

  test('ramp: after the ramp the rate stays at its end', () => {
    const offsets = take(rampArrivals({ fromPerS: 50, toPerS: 5, rampMs: 1000 }, seededRandom(6)), 5000)
    const after = offsets.filter((offset) => offset > 1000)
    const ratePerS = ((after.length - 1) * 1000) / ((after.at(-1) ?? 0) - (after[0] ?? 0))
    expect(Math.abs(ratePerS - 5)).toBeLessThan((4 * 5) / Math.sqrt(after.length))
  })

  test('trace: replayed exactly, and repeated with a seam of one mean gap', () => {
    expect([...traceArrivals({ offsetsMs: [0, 10, 40], repeat: false })]).toEqual([0, 10, 40])
    expect(take(traceArrivals({ offsetsMs: [0, 10, 40], repeat: true }), 7)).toEqual([
      0, 10, 40, 60, 70, 100, 120,
    ])
  })

  test('the same seed gives the same schedule', () => {
    const process = { process: 'gamma', ratePerS: 7, cv: 2 } as const
    expect(take(arrivals(process, seededRandom(9)), 100)).toEqual(
      take(arrivals(process, seededRandom(9)), 100),
    )
  })

  test.each([
    [{ process: 'poisson', ratePerS: 0 }, 'ratePerS must be positive, got 0'],
    [{ process: 'constant', ratePerS: -3 }, 'ratePerS must be positive, got -3'],
    [{ process: 'gamma', ratePerS: 1, cv: 0 }, 'cv must be positive, got 0'],
    [{ process: 'ramp', fromPerS: -1, toPerS: 2, rampMs: 10 }, 'fromPerS must not be negative, got -1'],
    [{ process: 'trace', offsetsMs: [], repeat: false }, 'a trace needs at least one offset'],
    [
      { process: 'trace', offsetsMs: [5, 3], repeat: false },
      'offsetsMs[1] must be finite and not below 5, got 3',
    ],
  ] as const)('%j is refused with its value', (process, message) => {
    expect(() => arrivals(process, seededRandom(1)).next()).toThrow(message)
  })
})
