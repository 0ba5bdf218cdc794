/**
 * How far a level may lie from the prediction that the other levels make of it.
 *
 * With relative noise σ and leverage h (how much a level pulls its own fitted value), a level predicted without itself
 * misses by σ/√(1 − h): little in the middle of a sweep, much at its ends. The bound of a level is that, times Student's
 * t, with σ estimated without the level too; so it is a promise that can be checked against the level itself.
 */

import { stepTimeMs } from './law.ts'
import { noiseScale, PRIOR_DEGREES } from './noise.ts'
import {
  coefficientsInUse,
  fitStepForm,
  MODEL_FLOOR_FRACTION,
  type StepCurve,
  type StepPoint,
} from './step-forms.ts'
import { studentQuantile } from './student.ts'

export const BOUND_COVERAGE = 0.9

export interface LevelBounds {
  /** Leverage of each point in [0, 0.95]. */
  readonly leverage: readonly number[]
  /** Central 90 % prediction bound of each point from all the others, ms. */
  readonly boundMs: readonly (readonly [number, number])[]
  /** ≥ 1: root mean square leave-one-out error over the root mean square that the noise explains. */
  readonly inflation: number
}

/**
 * Bounds of every point, in the order of the points.
 *
 * @param curve the step curve, whose form gives the leverages
 * @param fittedMs what the fit to all points says at each
 * @param looMs what the fit to the other points says at each
 */
export function levelBounds(
  points: readonly StepPoint[],
  fit: { curve: StepCurve; fittedMs: readonly number[]; looMs: readonly number[] },
): LevelBounds {
  const leverage = points.map((_, index) => leverageOf(points, { curve: fit.curve, index }))
  if (fit.curve.form === 'isotonic') return isotonicBounds(points, { looMs: fit.looMs, leverage })
  const residuals = points.map((point, index) => point.stepMs / (fit.fittedMs[index] ?? Number.NaN) - 1)
  const parameters = coefficientsInUse(fit.curve)
  const errors = points.map((point, index) => (fit.looMs[index] ?? Number.NaN) / point.stepMs - 1)
  const boundMs = points.map((_, index): readonly [number, number] => {
    const { sigma, degrees } = noiseWithout({ residuals, leverage, parameters, index })
    const spread =
      (studentQuantile({ coverage: BOUND_COVERAGE, degrees }) * sigma) / Math.sqrt(1 - (leverage[index] ?? 0))
    const centre = fit.looMs[index] ?? Number.NaN
    return [centre * Math.max(0, 1 - spread), centre * (1 + spread)]
  })
  return { leverage, boundMs, inflation: inflationOf({ errors, residuals, leverage, parameters }) }
}

/**
 * An isotonic fit runs through its points, so its residuals say nothing: the spread is that of the leave-one-out errors
 * of the interior. At the ends it can only repeat the neighbour; there the bound also holds the straight continuation.
 */
function isotonicBounds(
  points: readonly StepPoint[],
  fit: { looMs: readonly number[]; leverage: readonly number[] },
): LevelBounds {
  const errors = points.map((point, index) => (fit.looMs[index] ?? Number.NaN) / point.stepMs - 1)
  const { sigma, degrees } = noiseScale({
    residuals: errors.slice(1, -1),
    parameters: 0,
    priorFraction: MODEL_FLOOR_FRACTION,
  })
  const spread = studentQuantile({ coverage: BOUND_COVERAGE, degrees }) * sigma
  const boundMs = points.map((_, index): readonly [number, number] => {
    const centre = fit.looMs[index] ?? Number.NaN
    const straight = continued(points, index) ?? centre
    return [
      Math.max(0, Math.min(centre, straight)) * Math.max(0, 1 - spread),
      Math.max(centre, straight) * (1 + spread),
    ]
  })
  // There is no law to be wrong: its replicates bend between the levels instead.
  return { leverage: fit.leverage, boundMs, inflation: 1 }
}

// The line through the two nearest points, at an end of the sweep; null inside it.
function continued(points: readonly StepPoint[], index: number): number | null {
  if (index > 0 && index < points.length - 1) return null
  const step = index === 0 ? 1 : -1
  const end = points[index]
  const near = points[index + step]
  const far = points[index + 2 * step]
  if (end === undefined || near === undefined || far === undefined || near.batch === far.batch) return null
  return near.stepMs + ((near.stepMs - far.stepMs) / (near.batch - far.batch)) * (end.batch - near.batch)
}

// The fit is linear in y while its zero coefficients stay zero: nudge one value and see how its fitted value follows.
function leverageOf(points: readonly StepPoint[], at: { curve: StepCurve; index: number }): number {
  const { curve, index } = at
  const point = points[index]
  const { form, expertFraction } = curve
  if (point === undefined || form === 'isotonic') return 0.5
  const nudge = 1e-4 * point.stepMs
  const nudged = points.map((other, position) =>
    position === index ? { ...other, stepMs: other.stepMs + nudge } : other,
  )
  const moved = fitStepForm({ form, expertFraction, points: nudged })
  const response = (stepTimeMs(moved, point.batch) - stepTimeMs(curve, point.batch)) / nudge
  return Math.min(0.95, Math.max(0, response))
}

// Leaving a point out takes e²/(1 − h) from the residual sum of squares.
function noiseWithout(input: {
  residuals: readonly number[]
  leverage: readonly number[]
  parameters: number
  index: number
}) {
  const { residuals, leverage, parameters, index } = input
  const sum = residuals.reduce((total, residual) => total + residual * residual, 0)
  const own = (residuals[index] ?? 0) ** 2 / (1 - (leverage[index] ?? 0))
  const rest = Math.max(0, sum - own)
  const degrees = PRIOR_DEGREES + Math.max(0, residuals.length - 1 - parameters)
  return { sigma: Math.sqrt((PRIOR_DEGREES * MODEL_FLOOR_FRACTION ** 2 + rest) / degrees), degrees }
}

function inflationOf(input: {
  errors: readonly number[]
  residuals: readonly number[]
  leverage: readonly number[]
  parameters: number
}): number {
  const { errors, residuals, leverage, parameters } = input
  const { sigma } = noiseScale({ residuals, parameters, priorFraction: MODEL_FLOOR_FRACTION })
  const interior = errors.map((_, index) => index).slice(1, -1)
  const seen = rootMeanSquare(interior.map((index) => errors[index] ?? 0))
  const explained = rootMeanSquare(interior.map((index) => sigma / Math.sqrt(1 - (leverage[index] ?? 0))))
  return Math.max(1, seen / explained)
}

function rootMeanSquare(values: readonly number[]): number {
  return Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / Math.max(1, values.length))
}
