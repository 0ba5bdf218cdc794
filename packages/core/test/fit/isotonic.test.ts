import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fitIsotonic } from '../../src/fit/isotonic.ts'

const pointsOf = (values: readonly number[], weights: readonly number[] = []) =>
  values.map((stepMs, index) => ({ batch: index + 1, stepMs, weight: weights[index] ?? 1 }))

test('isotonic: pools the example of Barlow et al. as by hand', () => {
  const { knots, pooled } = fitIsotonic(pointsOf([1, 3, 2, 4, 3.5, 3]))
  expect(knots.map((knot) => knot.stepMs)).toEqual([1, 2.5, 2.5, 3.5, 3.5, 3.5])
  expect(pooled).toEqual([
    { from: 1, to: 2 },
    { from: 3, to: 5 },
  ])
})

test('isotonic: weights pull the pooled value', () => {
  const { knots } = fitIsotonic(pointsOf([4, 2], [3, 1]))
  expect(knots.map((knot) => knot.stepMs)).toEqual([3.5, 3.5])
})

test('isotonic: agrees with the max-min formula', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 1, max: 100, noNaN: true }), { minLength: 1, maxLength: 9 }),
      (values) => {
        const { knots } = fitIsotonic(pointsOf(values))
        values.forEach((_, index) => {
          // max over starts ≤ index of min over ends ≥ index of the mean between them (Barlow et al. 1972).
          const best = Math.max(
            ...values.slice(0, index + 1).map((_, start) =>
              Math.min(
                ...values.slice(index).map((_, offset) => {
                  const block = values.slice(start, index + offset + 1)
                  return block.reduce((sum, value) => sum + value, 0) / block.length
                }),
              ),
            ),
          )
          expect(knots[index]?.stepMs).toBeCloseTo(best, 9)
        })
      },
    ),
  )
})

test('isotonic: sorts by batch first', () => {
  const { knots } = fitIsotonic([
    { batch: 8, stepMs: 5, weight: 1 },
    { batch: 2, stepMs: 3, weight: 1 },
  ])
  expect(knots).toEqual([
    { batch: 2, stepMs: 3 },
    { batch: 8, stepMs: 5 },
  ])
})
