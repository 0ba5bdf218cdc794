/**
 * The forms that the time of one decode step may take as a function of the decode batch b:
 *
 *   linear   a + s·b                          dense models: weights are read once, each sequence adds its KV cache
 *   sqrt     a + s·b + d·√b                   mixture of experts when the number of experts is not known
 *   moe      a + s·b + d·(1 − (1 − k/E)^b)    the share of E experts that b sequences, k experts each, wake up
 *
 * All are linear in their coefficients, which are costs and so not negative. Squares, hinges and caps are left out on
 * purpose: on public sweeps they miss a withheld last level by a quarter or more (MODEL.md).
 */
import { type StepForm, type StepLaw, stepShape } from './law.ts'
import { nonNegativeLeastSquares } from './nnls.ts'

/** One level as the step fit sees it. */
export interface StepPoint {
  /** Mean decode batch, > 0. */
  readonly batch: number
  /** TPOT, or a percentile of it, ms. */
  readonly stepMs: number
  /** 1 / variance of stepMs, > 0. */
  readonly weight: number
}

export type ParametricForm = Exclude<StepForm, 'isotonic'>

/** A form with its fitted coefficients, or the knots of an isotonic fit. */
export type StepCurve = Pick<StepLaw, 'form' | 'baseMs' | 'slopeMs' | 'shapeMs' | 'expertFraction' | 'knots'>

/** The row of the design matrix at a decode batch: (1, b) or (1, b, shape(b)). */
export function stepRow(form: ParametricForm, expertFraction: number | null, batch: number): number[] {
  return form === 'linear' ? [1, batch] : [1, batch, stepShape(form, expertFraction, batch)]
}

/** Weighted non-negative least squares of one form. */
export function fitStepForm(input: {
  form: ParametricForm
  expertFraction: number | null
  points: readonly StepPoint[]
}): StepCurve {
  const { form, expertFraction, points } = input
  const [baseMs = 0, slopeMs = 0, shapeMs = 0] = nonNegativeLeastSquares({
    rows: points.map((point) => stepRow(form, expertFraction, point.batch)),
    values: points.map((point) => point.stepMs),
    weights: points.map((point) => point.weight),
  })
  return { form, baseMs, slopeMs, shapeMs, expertFraction: form === 'moe' ? expertFraction : null, knots: [] }
}

/**
 * Weight of a step time: 1 / (σ² + (0.02·y)²). The floor of 2 % says that no law of this family is better than that,
 * so a level measured for an hour cannot pull the curve off all the others.
 */
export function stepWeight(input: { stepMs: number; standardErrorFraction: number | null }): number {
  const relative = Math.hypot(input.standardErrorFraction ?? 0, MODEL_FLOOR_FRACTION)
  return 1 / (relative * input.stepMs) ** 2
}

/** Relative error below which no law of this family is trusted. */
export const MODEL_FLOOR_FRACTION = 0.02

/** Coefficients of a step curve that are not zero: what it costs in degrees of freedom. */
export function coefficientsInUse(curve: StepCurve): number {
  if (curve.form === 'isotonic') return 2
  return [curve.baseMs, curve.slopeMs, curve.shapeMs].filter((coefficient) => coefficient > 0).length
}
