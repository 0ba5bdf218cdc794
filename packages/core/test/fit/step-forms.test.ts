import { expect, test } from 'vitest'
import { stepTimeMs } from '../../src/fit/law.ts'
import { fitStepForm, stepRow, stepWeight } from '../../src/fit/step-forms.ts'
import { closedLoopLevels } from '../measured.ts'

const points = (name: string) =>
  closedLoopLevels(name).map((level) => {
    const stepMs = level.tpotMs.mean ?? 0
    return {
      batch: level.concurrency ?? 0,
      stepMs,
      weight: stepWeight({ stepMs, standardErrorFraction: null }),
    }
  })

test('step forms: the experts term counts the distinct experts that a batch wakes', () => {
  // One sequence wakes k of E; many wake all.
  expect(stepRow('moe', 8 / 256, 1)[2]).toBeCloseTo(8 / 256, 12)
  expect(stepRow('moe', 8 / 256, 2)[2]).toBeCloseTo(1 - (248 / 256) ** 2, 12)
  expect(stepRow('moe', 8 / 256, 1e4)[2]).toBeCloseTo(1, 12)
})

test('step forms: relative least squares of four measured levels agrees with its normal equations', () => {
  const few = points('nim_llama33_70b_fp8_tp2_h100_isl5000_osl500_v1_8').slice(0, 4)
  const curve = fitStepForm({ form: 'linear', expertFraction: null, points: few })
  const sums = few.reduce(
    (sum, { batch, stepMs }) => ({
      ww: sum.ww + 1 / stepMs ** 2,
      wx: sum.wx + batch / stepMs ** 2,
      xx: sum.xx + batch ** 2 / stepMs ** 2,
      wy: sum.wy + 1 / stepMs,
      xy: sum.xy + batch / stepMs,
    }),
    { ww: 0, wx: 0, xx: 0, wy: 0, xy: 0 },
  )
  const determinant = sums.ww * sums.xx - sums.wx ** 2
  expect(curve.baseMs).toBeCloseTo((sums.wy * sums.xx - sums.xy * sums.wx) / determinant, 9)
  expect(curve.slopeMs).toBeCloseTo((sums.ww * sums.xy - sums.wx * sums.wy) / determinant, 9)
})

test('step forms: a measured standard error widens the 2 % floor, it never replaces it', () => {
  expect(stepWeight({ stepMs: 50, standardErrorFraction: null })).toBeCloseTo(1, 12)
  expect(stepWeight({ stepMs: 50, standardErrorFraction: 0 })).toBeCloseTo(1, 12)
  expect(stepWeight({ stepMs: 50, standardErrorFraction: 0.02 })).toBeCloseTo(0.5, 12)
})

test('step forms: a sqrt law is recovered from its own values', () => {
  const exact = [1, 4, 9, 25, 64].map((batch) => {
    const stepMs = 2 + 0.1 * batch + 1.5 * Math.sqrt(batch)
    return { batch, stepMs, weight: 1 / stepMs ** 2 }
  })
  const curve = fitStepForm({ form: 'sqrt', expertFraction: null, points: exact })
  expect(curve.baseMs).toBeCloseTo(2, 6)
  expect(curve.slopeMs).toBeCloseTo(0.1, 6)
  expect(curve.shapeMs).toBeCloseTo(1.5, 6)
  expect(stepTimeMs(curve, 100)).toBeCloseTo(2 + 10 + 15, 5)
})
