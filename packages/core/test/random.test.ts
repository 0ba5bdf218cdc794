import { seededRandom, standardNormal } from '@loadcurve/core/random'
import { expect, test } from 'vitest'

test('seeded random: one seed and stream give one sequence, another stream gives another', () => {
  const draw = (seed: number, stream: string) => Array.from({ length: 5 }, seededRandom(seed, stream))
  expect(draw(1, 'arrivals')).toEqual(draw(1, 'arrivals'))
  expect(draw(1, 'arrivals')).not.toEqual(draw(1, 'lengths'))
  expect(draw(1, 'arrivals')).not.toEqual(draw(2, 'arrivals'))
  expect(draw(1, '')).not.toEqual(draw(1 + 2 ** 40, ''))
})

test('seeded random: uniform by a chi-square over 64 cells', () => {
  const n = 64_000
  const cells = new Array<number>(64).fill(0)
  const random = seededRandom(7)
  for (let i = 0; i < n; i++) {
    const cell = Math.floor(random() * 64)
    cells[cell] = (cells[cell] ?? 0) + 1
  }
  const chiSquare = cells.reduce((sum, count) => sum + (count - n / 64) ** 2 / (n / 64), 0)
  // 63 degrees of freedom: the 0.0001 and 0.9999 quantiles are 29.5 and 112.3.
  expect(chiSquare).toBeGreaterThan(29.5)
  expect(chiSquare).toBeLessThan(112.3)
})

test('seeded random: neighbouring seeds are uncorrelated', () => {
  const n = 4_000
  const left = seededRandom(10)
  const right = seededRandom(11)
  let product = 0
  for (let i = 0; i < n; i++) product += (left() - 0.5) * (right() - 0.5)
  // The correlation of independent sequences has standard error 1/sqrt(n).
  expect(Math.abs(product / n / (1 / 12))).toBeLessThan(4 / Math.sqrt(n))
})

test('standard normal: mean 0, variance 1, kurtosis 3', () => {
  const n = 50_000
  const random = seededRandom(3)
  const draws = Array.from({ length: n }, () => standardNormal(random))
  const moment = (order: number) => draws.reduce((sum, draw) => sum + draw ** order, 0) / n
  expect(Math.abs(moment(1))).toBeLessThan(4 / Math.sqrt(n))
  expect(Math.abs(moment(2) - 1)).toBeLessThan(4 * Math.sqrt(2 / n))
  expect(Math.abs(moment(4) - 3)).toBeLessThan(4 * Math.sqrt(96 / n))
})

test('seeded random: a seed that is no number is the programmer’s mistake', () => {
  expect(() => seededRandom(Number.NaN)).toThrow('seed must be a finite number, got NaN')
})
