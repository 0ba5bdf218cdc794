import { expect, test } from 'vitest'
import { normalDeviate, seededChance, unitMeanFactor, unitMeanGamma } from '../src/random.ts'

const N = 100_000

function moments(draw: () => number): { mean: number; variance: number } {
  const values = Array.from({ length: N }, draw)
  const mean = values.reduce((sum, value) => sum + value, 0) / N
  return { mean, variance: values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (N - 1) }
}

test('seeded chance: a seed repeats, another seed or purpose does not', () => {
  const first = (seed: number, purpose: string) => Array.from({ length: 5 }, seededChance(seed, purpose))
  expect(first(1, 'a')).toEqual(first(1, 'a'))
  expect(first(1, 'a')).not.toEqual(first(2, 'a'))
  expect(first(1, 'a')).not.toEqual(first(1, 'b'))
  expect(() => seededChance(Number.NaN, 'a')).toThrow('seed must be a finite number, got NaN')
})

test('seeded chance: uniform in [0, 1), in itself and from pair to pair', () => {
  const chance = seededChance(3, 'uniform')
  const cells = new Float64Array(100)
  for (let index = 0; index < N; index++) {
    const cell = Math.floor(chance() * 10) * 10 + Math.floor(chance() * 10)
    cells[cell] = (cells[cell] ?? 0) + 1
  }
  const expected = N / 100
  const chiSquare = cells.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
  // 99 degrees of freedom: the 0.1 % points of chi-square are 60.1 and 148.2 (NIST table and its lower tail).
  expect(chiSquare).toBeGreaterThan(60.1)
  expect(chiSquare).toBeLessThan(148.2)
})

test('normal deviate: mean 0, variance 1', () => {
  const chance = seededChance(4, 'normal')
  const { mean, variance } = moments(() => normalDeviate(chance))
  expect(Math.abs(mean)).toBeLessThan(4 / Math.sqrt(N))
  expect(Math.abs(variance - 1)).toBeLessThan(4 * Math.sqrt(2 / N))
})

test.each([0.2, 1, 2])('unit-mean gamma: mean 1 and coefficient of variation %d', (cv) => {
  const chance = seededChance(5, 'gamma')
  const { mean, variance } = moments(() => unitMeanGamma(cv, chance))
  // The fourth central moment of a gamma with shape k, scaled to mean 1, is 3/k^2 + 6/k^3, with 1/k = cv^2.
  const fourth = 3 * cv ** 4 + 6 * cv ** 6
  expect(Math.abs(mean - 1)).toBeLessThan((4 * cv) / Math.sqrt(N))
  expect(Math.abs(variance - cv ** 2)).toBeLessThan(4 * Math.sqrt((fourth - cv ** 4) / N))
})

test('unit-mean factor: exactly 1 without noise, else mean 1 with the coefficient of variation asked for', () => {
  const chance = seededChance(6, 'factor')
  expect(unitMeanFactor(0, chance)).toBe(1)
  const { mean, variance } = moments(() => unitMeanFactor(0.3, chance))
  expect(Math.abs(mean - 1)).toBeLessThan((4 * 0.3) / Math.sqrt(N))
  expect(Math.sqrt(variance)).toBeCloseTo(0.3, 2)
})
