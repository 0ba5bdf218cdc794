import { expect, test } from 'vitest'
import {
  drawLength,
  type LengthLaw,
  lengthLawFault,
  lengthMoments,
  longestLength,
} from '../../src/model/lengths.ts'
import { seededChance } from '../../src/random.ts'

const N = 50_000
const draws = (law: LengthLaw) =>
  Array.from(
    { length: N },
    (
      (chance) => () =>
        drawLength(law, chance)
    )(seededChance(1, 'lengths')),
  )

test.each<LengthLaw>([
  { kind: 'fixed', tokens: 7 },
  { kind: 'uniform', min: 1, max: 1 },
  { kind: 'uniform', min: 50, max: 78 },
])('lengths: the moments of %o are those of its draws', (law) => {
  const moments = lengthMoments(law)
  const values = draws(law)
  const mean = values.reduce((sum, value) => sum + value, 0) / N
  const meanSquare = values.reduce((sum, value) => sum + value ** 2, 0) / N
  const variance = (moments?.meanSquare ?? 0) - (moments?.mean ?? 0) ** 2
  expect(Math.abs(mean - (moments?.mean ?? 0))).toBeLessThanOrEqual(4 * Math.sqrt(variance / N))
  // The range bounds the spread of squares: (b^2 - a^2)/2 around their middle.
  const spread = (longestLength(law) ** 2 - Math.min(...values) ** 2) / 2
  expect(Math.abs(meanSquare - (moments?.meanSquare ?? 0))).toBeLessThanOrEqual((4 * spread) / Math.sqrt(N))
})

test('lengths: lognormal keeps its mean, Pareto its tail, and both their longest length', () => {
  const lognormal = draws({ kind: 'lognormal', mean: 200, cv: 0.5, max: 100_000 })
  expect(Math.abs(lognormal.reduce((sum, value) => sum + value, 0) / N - 200)).toBeLessThan(
    (4 * 100) / Math.sqrt(N),
  )
  const pareto: LengthLaw = { kind: 'pareto', min: 20, shape: 1.5, max: 4000 }
  const values = draws(pareto)
  // P(X > x) = (20/x)^1.5: past 80.5 (rounded values from 81) 0.1238.
  const tail = (20 / 80.5) ** 1.5
  expect(Math.abs(values.filter((value) => value >= 81).length / N - tail)).toBeLessThan(
    4 * Math.sqrt((tail * (1 - tail)) / N),
  )
  expect(Math.max(...values)).toBe(4000)
  expect(lengthMoments(pareto)).toBeNull()
  expect(longestLength(pareto)).toBe(4000)
})

test('lengths: a law written by hand is checked part by part', () => {
  expect(lengthLawFault({ kind: 'pareto', min: 20, shape: 1.5, max: 4000 })).toBeNull()
  expect(lengthLawFault({ kind: 'fixed', tokens: 64 })).toBeNull()
  expect(lengthLawFault({ kind: 'normal' })).toBe('kind must be one of fixed, uniform, lognormal, pareto')
  expect(lengthLawFault(7)).toBe('kind must be one of fixed, uniform, lognormal, pareto')
  expect(lengthLawFault({ kind: 'uniform', min: 9, max: 3 })).toBe('min exceeds max')
  expect(lengthLawFault({ kind: 'fixed', tokens: 1.5 })).toBe('tokens must be a whole number')
  expect(lengthLawFault({ kind: 'lognormal', mean: 9, cv: 0, max: 3 })).toBe('cv must be a positive number')
  expect(lengthLawFault({ kind: 'fixed', tokens: 5, mean: 3 })).toBe('mean is not known; fixed has tokens')
})
