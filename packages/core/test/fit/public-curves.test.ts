import { expect, test } from 'vitest'
import type { CurveFit } from '../../src/fit/curve.ts'
import {
  fitPublicCurve,
  isClean,
  type PublicCurve,
  publicCurves,
  quantile,
  withheldLast,
} from './public-curves.ts'

const clean = publicCurves().filter(isClean)
const dense = clean.filter((curve) => curve.experts === null)
const moe = clean.filter((curve) => curve.experts !== null)

function judge(curves: readonly PublicCurve[], expertsOf: (curve: PublicCurve) => PublicCurve['experts']) {
  const fits = curves.map((curve) => fitPublicCurve(curve, expertsOf(curve)))
  const fitted = fits.filter((fit): fit is CurveFit & { looErrorFraction: number } => fit.fitted !== null)
  const errors = fitted.map((fit) => fit.looErrorFraction)
  const withheld = fitted.map(withheldLast)
  return {
    refusedShare: 1 - fitted.length / curves.length,
    medianLoo: quantile(errors, 0.5),
    p90Loo: quantile(errors, 0.9),
    medianBias: quantile(
      withheld.map((level) => level.biasFraction),
      0.5,
    ),
    coveredShare: withheld.filter((level) => level.covered).length / withheld.length,
  }
}

test('public curves: the fixture holds what the medians need', () => {
  expect(dense.length).toBeGreaterThanOrEqual(25)
  expect(moe.length).toBeGreaterThanOrEqual(40)
})

const groups = [
  { name: 'dense', curves: dense, expertsOf: () => null, medianMax: 0.015 },
  { name: 'experts given', curves: moe, expertsOf: (curve: PublicCurve) => curve.experts, medianMax: 0.02 },
  { name: 'experts not given', curves: moe, expertsOf: () => null, medianMax: 0.026 },
]
test.each(groups)('public curves: $name', ({ curves, expertsOf, medianMax }) => {
  const judged = judge(curves, expertsOf)
  expect(judged.medianLoo).toBeLessThanOrEqual(medianMax)
  expect(judged.p90Loo).toBeLessThanOrEqual(0.06)
  expect(Math.abs(judged.medianBias)).toBeLessThanOrEqual(0.03)
  expect(judged.coveredShare).toBeGreaterThanOrEqual(0.85)
  expect(judged.refusedShare).toBeLessThanOrEqual(0.2)
})
