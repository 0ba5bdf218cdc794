import {
  binomialAtMost,
  binomialQuantile,
  logBeta,
  logIncompleteBeta,
} from '@loadcurve/core/metrics/incomplete-beta'
import fc from 'fast-check'
import { expect, test } from 'vitest'

// Exact: sums of binomial terms in rational arithmetic.
test('incomplete beta: binomial distribution functions to their exact values', () => {
  expect(binomialAtMost({ k: 5, n: 20, p: 0.3 })).toBeCloseTo(0.4163708294474814, 12)
  expect(binomialAtMost({ k: 183, n: 200, p: 0.95 })).toBeCloseTo(0.023799459747172753, 12)
  expect(Math.exp(logIncompleteBeta({ x: 0.5, a: 2, b: 3 }))).toBeCloseTo(0.6875, 12)
  // P(Binomial(1000, 0.01) >= 60), far below where 1 - cdf has any digit left.
  expect(logIncompleteBeta({ x: 0.01, a: 60, b: 941 })).toBeCloseTo(-61.55795367421431, 8)
})

test('incomplete beta: closed forms I_x(1, b) and I_x(a, 1)', () => {
  for (const x of [1e-9, 0.01, 0.3, 0.5, 0.99]) {
    for (const shape of [0.5, 1, 7, 300]) {
      expect(Math.exp(logIncompleteBeta({ x, a: shape, b: 1 }))).toBeCloseTo(x ** shape, 10)
      expect(Math.exp(logIncompleteBeta({ x, a: 1, b: shape }))).toBeCloseTo(1 - (1 - x) ** shape, 10)
    }
  }
})

test('incomplete beta: symmetry, monotony and the recurrence in a', () => {
  const shape = fc.double({ min: 0.2, max: 2_000, noNaN: true })
  fc.assert(
    fc.property(fc.double({ min: 1e-6, max: 1 - 1e-6, noNaN: true }), shape, shape, (x, a, b) => {
      const value = Math.exp(logIncompleteBeta({ x, a, b }))
      expect(value + Math.exp(logIncompleteBeta({ x: 1 - x, a: b, b: a }))).toBeCloseTo(1, 9)
      // I_x(a, b) - I_x(a + 1, b) = x^a (1 - x)^b / (a B(a, b))
      const step = Math.exp(a * Math.log(x) + b * Math.log1p(-x) - Math.log(a) - logBeta(a, b))
      expect(value - Math.exp(logIncompleteBeta({ x, a: a + 1, b }))).toBeCloseTo(step, 8)
    }),
    { numRuns: 500, seed: 1 },
  )
})

test('binomial quantile: the smallest k that reaches the probability, by counting', () => {
  const counted = (probability: number, n: number, p: number) => {
    let term = (1 - p) ** n
    let sum = term
    let k = 0
    while (sum < probability) {
      term *= ((n - k) / (k + 1)) * (p / (1 - p))
      sum += term
      k++
    }
    return k
  }
  for (const n of [1, 5, 60, 300]) {
    for (const p of [0.05, 0.5, 0.9]) {
      for (const probability of [0.025, 0.49, 0.975]) {
        expect(binomialQuantile({ probability, n, p })).toBe(counted(probability, n, p))
      }
    }
  }
})

test('incomplete beta: arguments out of range are quoted', () => {
  expect(() => logIncompleteBeta({ x: 1.5, a: 1, b: 1 })).toThrow('x must lie in [0, 1], got 1.5')
  expect(() => logIncompleteBeta({ x: 0.5, a: 0, b: 1 })).toThrow('a and b must be positive, got 0 and 1')
})
