/**
 * Which form describes a sweep: decided by prediction, not by fit.
 *
 * Each level is left out in turn and predicted from the others. A form is as good as its mean |relative error| over
 * the interior levels (the two ends are extrapolations: they are reported, but one of them would swamp the mean).
 * Sweeps have six to ten levels, so that mean is itself uncertain by about a standard error: among the forms within
 * one standard error of the best, the one with the fewest parameters is taken. An information criterion would ask the
 * same of more levels than sweeps have (AICc's correction explodes at n = K + 2), and tends to the same answer with many.
 */
import { fitIsotonic } from './isotonic.ts'
import { stepTimeMs } from './law.ts'
import { fitStepForm, type ParametricForm, type StepCurve, type StepPoint } from './step-forms.ts'

export interface Candidate {
  readonly curve: StepCurve
  /** Prediction of each point from all the others, ms. */
  readonly looMs: readonly number[]
  /** Mean |relative error| of looMs over the interior points, and its standard error. */
  readonly looErrorFraction: number
  readonly looStandardError: number
}

/** Forms that may be tried: `moe` only when the experts are known. */
export function candidateForms(expertFraction: number | null): ParametricForm[] {
  return expertFraction === null ? ['linear', 'sqrt'] : ['linear', 'sqrt', 'moe']
}

/**
 * The form that predicts best, with its leave-one-out record.
 *
 * @param points in order of their batch, at least four
 * @param expertFraction k/E of a mixture of experts, or null
 */
export function selectStepForm(input: {
  points: readonly StepPoint[]
  expertFraction: number | null
}): Candidate {
  const candidates = candidateForms(input.expertFraction).map((form) => evaluateForm({ ...input, form }))
  const best = candidates.reduce((left, right) =>
    right.looErrorFraction < left.looErrorFraction ? right : left,
  )
  const limit = best.looErrorFraction + best.looStandardError
  const adequate = candidates.filter((candidate) => candidate.looErrorFraction <= limit)
  const fewest = Math.min(...adequate.map(parameterCount))
  const simplest = adequate.filter((candidate) => parameterCount(candidate) === fewest)
  return simplest.reduce((left, right) => (right.looErrorFraction < left.looErrorFraction ? right : left))
}

/** One form fitted to all points, and to all points but one for each point. */
export function evaluateForm(input: {
  form: ParametricForm
  points: readonly StepPoint[]
  expertFraction: number | null
}): Candidate {
  const { points } = input
  const looMs = points.map((point, index) => {
    const others = points.filter((_, other) => other !== index)
    return stepTimeMs(fitStepForm({ ...input, points: others }), point.batch)
  })
  return { curve: fitStepForm(input), looMs, ...summarise(points, looMs) }
}

/** Leave-one-out predictions by interpolating the isotonic fit of the other points; the ends predict their neighbour. */
export function isotonicLooMs(points: readonly StepPoint[]): number[] {
  return points.map((point, index) => {
    const { knots } = fitIsotonic(points.filter((_, other) => other !== index))
    const right = knots.findIndex((knot) => knot.batch >= point.batch)
    if (right <= 0) return (right === 0 ? knots[0] : knots.at(-1))?.stepMs ?? Number.NaN
    const from = knots[right - 1]
    const to = knots[right]
    if (from === undefined || to === undefined) return Number.NaN
    const share = (point.batch - from.batch) / (to.batch - from.batch)
    return from.stepMs + share * (to.stepMs - from.stepMs)
  })
}

/** Mean |relative error| over the interior points and its standard error. */
export function summarise(
  points: readonly StepPoint[],
  looMs: readonly number[],
): { looErrorFraction: number; looStandardError: number } {
  const errors = points.map((point, index) => Math.abs((looMs[index] ?? Number.NaN) / point.stepMs - 1))
  const interior = errors.length > 2 ? errors.slice(1, -1) : errors
  const mean = interior.reduce((sum, error) => sum + error, 0) / interior.length
  const variance =
    interior.reduce((sum, error) => sum + (error - mean) ** 2, 0) / Math.max(1, interior.length - 1)
  return { looErrorFraction: mean, looStandardError: Math.sqrt(variance / interior.length) }
}

function parameterCount(candidate: Candidate): number {
  return candidate.curve.form === 'linear' ? 2 : 3
}
