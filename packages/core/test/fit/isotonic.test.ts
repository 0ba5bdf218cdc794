import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bentKnots, fitIsotonic } from '../../src/fit/isotonic.ts'
import { seededRandom } from '../../src/random.ts'

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

test('isotonic: bent knots keep the knots and rise between them', () => {
  const knots = [
    { batch: 2, stepMs: 10 },
    { batch: 6, stepMs: 30 },
    { batch: 8, stepMs: 30 },
  ]
  const random = seededRandom(1)
  for (let draw = 0; draw < 100; draw++) {
    const bent = bentKnots(knots, random)
    expect(bent.map((knot) => knot.batch)).toEqual([2, 4, 6, 7, 8])
    expect(bent.filter((_, index) => index % 2 === 0)).toEqual(knots)
    // 10 + [0.25, 0.75]·20
    expect(bent[1]?.stepMs).toBeGreaterThanOrEqual(15)
    expect(bent[1]?.stepMs).toBeLessThanOrEqual(25)
    expect(bent[3]?.stepMs).toBe(30)
  }
})
