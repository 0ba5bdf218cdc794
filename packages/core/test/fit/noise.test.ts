import { expect, test } from 'vitest'
import { disturbances, drawSigma, noiseScale } from '../../src/fit/noise.ts'
import { seededRandom } from '../../src/random.ts'

test('noise: it pools the residuals with two pseudo-observations at the prior', () => {
  // (2·0.02² + 0.03² + 0.01²) / (2 + 4 − 2)
  const noise = noiseScale({ residuals: [0.03, 0, -0.01, 0], parameters: 2, priorFraction: 0.02 })
  expect(noise.degrees).toBe(4)
  expect(noise.sigma).toBeCloseTo(Math.sqrt((2 * 0.0004 + 0.0009 + 0.0001) / 4), 12)
})

test('noise: drawn variances follow the scaled inverse chi-square', () => {
  const random = seededRandom(2)
  const degrees = 6
  const inverse = Array.from({ length: 4000 }, () => 1 / drawSigma({ sigma: 0.02, degrees }, random) ** 2)
  const mean = inverse.reduce((sum, value) => sum + value, 0) / inverse.length
  // 1/σ² is σ0⁻²·χ²/ν: its mean is σ0⁻², its standard deviation √(2/ν) of that.
  expect(Math.abs(mean * 0.02 ** 2 - 1)).toBeLessThan((4 * Math.sqrt(2 / degrees)) / Math.sqrt(4000))
})

test('noise: the disturbances of neighbours correlate by one half, and are a quarter larger than their residuals', () => {
  const random = seededRandom(4)
  const pairs = Array.from({ length: 4000 }, () => disturbances(2, { sigma: 0.02, random }))
  const sum = (of: (pair: number[]) => number) => pairs.reduce((total, pair) => total + of(pair), 0)
  const variance = sum(([first = 0]) => first * first) / pairs.length
  const correlation = sum(([first = 0, second = 0]) => first * second) / sum(([first = 0]) => first * first)
  expect(Math.abs(Math.sqrt(variance) / 0.025 - 1)).toBeLessThan(4 / Math.sqrt(2 * pairs.length))
  expect(Math.abs(correlation - 0.5)).toBeLessThan(4 / Math.sqrt(pairs.length))
})
