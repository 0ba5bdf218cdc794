import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nonNegativeLeastSquares, residualSumOfSquares } from '../../src/fit/nnls.ts'
import { seededRandom, standardNormal } from '../../src/random.ts'

test('nnls: recovers exact coefficients', () => {
  const rows = [1, 2, 4, 8].map((x) => [1, x, Math.sqrt(x)])
  const values = rows.map(([one = 0, x = 0, root = 0]) => 3 * one + 0.5 * x + 2 * root)
  const fitted = nonNegativeLeastSquares({ rows, values, weights: [1, 1, 1, 1] })
  expect(fitted[0]).toBeCloseTo(3, 9)
  expect(fitted[1]).toBeCloseTo(0.5, 9)
  expect(fitted[2]).toBeCloseTo(2, 9)
})

test('nnls: a falling line becomes its weighted mean, since the slope may not be negative', () => {
  const problem = {
    rows: [
      [1, 1],
      [1, 2],
      [1, 3],
    ],
    values: [9, 6, 3],
    weights: [1, 1, 2],
  }
  // (9 + 6 + 2·3) / 4
  expect(nonNegativeLeastSquares(problem)).toEqual([5.25, 0])
})

test('nnls: no feasible point on a grid around the answer is better', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e6 }), (seed) => {
      const random = seededRandom(seed)
      const batches = [1, 2, 5, 12, 30, 70]
      const problem = {
        rows: batches.map((batch) => [1, batch, Math.sqrt(batch)]),
        values: batches.map(() => 5 + 4 * standardNormal(random)),
        weights: batches.map(() => 0.1 + random()),
      }
      const fitted = nonNegativeLeastSquares(problem)
      const least = residualSumOfSquares(problem, fitted)
      for (let trial = 0; trial < 200; trial++) {
        const near = fitted.map((value) => Math.max(0, value + standardNormal(random)))
        expect(residualSumOfSquares(problem, near)).toBeGreaterThanOrEqual(least * (1 - 1e-9))
      }
    }),
    { numRuns: 50 },
  )
})

test('nnls: columns that cannot be told apart share one coefficient', () => {
  const fitted = nonNegativeLeastSquares({
    rows: [
      [1, 1],
      [1, 1],
    ],
    values: [4, 6],
    weights: [1, 1],
  })
  expect((fitted[0] ?? 0) + (fitted[1] ?? 0)).toBeCloseTo(5, 9)
})

test('nnls: lengths that do not match are a mistake of the caller', () => {
  expect(() => nonNegativeLeastSquares({ rows: [[1]], values: [1, 2], weights: [1] })).toThrow('1, 2, 1')
  expect(() => nonNegativeLeastSquares({ rows: [], values: [], weights: [] })).toThrow('one to four columns')
})
