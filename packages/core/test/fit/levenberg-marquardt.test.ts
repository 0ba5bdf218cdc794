import { expect, test } from 'vitest'
import { levenbergMarquardt } from '../../src/fit/levenberg-marquardt.ts'

test('levenberg-marquardt: walks the curved valley of Rosenbrock to (1, 1)', () => {
  const result = levenbergMarquardt({
    residuals: ([x = 0, y = 0]) => [1 - x, 10 * (y - x * x)],
    start: [-1.2, 1],
    iterationsMax: 500,
    tolerance: 1e-14,
  })
  expect(result.converged).toBe(true)
  expect(result.parameters[0]).toBeCloseTo(1, 6)
  expect(result.parameters[1]).toBeCloseTo(1, 6)
})

test('levenberg-marquardt: NIST Misra1a to the certified digits', () => {
  // NIST StRD, Misra1a: y = b1 (1 − exp(−b2 x)); certified b1 = 238.94212918, b2 = 5.5015643181e-4,
  // residual sum of squares 0.12455138894.
  const x = [77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0]
  const y = [10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.4, 75.47, 81.78]
  const result = levenbergMarquardt({
    residuals: ([b1 = 0, logB2 = 0]) =>
      x.map((value, index) => b1 * (1 - Math.exp(-Math.exp(logB2) * value)) - (y[index] ?? 0)),
    start: [500, Math.log(1e-4)],
    iterationsMax: 500,
    tolerance: 1e-15,
  })
  expect(result.converged).toBe(true)
  expect((result.parameters[0] ?? 0) / 238.94212918).toBeCloseTo(1, 6)
  expect(Math.exp(result.parameters[1] ?? 0) / 5.5015643181e-4).toBeCloseTo(1, 6)
  expect(result.sumOfSquares / 0.12455138894).toBeCloseTo(1, 7)
})

test('levenberg-marquardt: a linear problem is solved in a few steps', () => {
  const result = levenbergMarquardt({ residuals: ([x = 0]) => [2 * x - 6], start: [100] })
  expect(result.parameters[0]).toBeCloseTo(3, 6)
  expect(result.iterations).toBeLessThan(10)
})

test('levenberg-marquardt: says so when the iterations run out', () => {
  const result = levenbergMarquardt({
    residuals: ([x = 0, y = 0]) => [1 - x, 10 * (y - x * x)],
    start: [-1.2, 1],
    iterationsMax: 3,
  })
  expect(result.converged).toBe(false)
})

test('levenberg-marquardt: a parameter that changes nothing is left where it was', () => {
  const result = levenbergMarquardt({ residuals: ([x = 0]) => [x - 1], start: [0, 7] })
  expect(result.parameters[0]).toBeCloseTo(1, 6)
  expect(result.parameters[1]).toBe(7)
})
