/**
 * From a sweep to one law: choose the form by leave-one-out, fit it, read B* off the plateau, fit the TTFT line, and
 * refine all of them together where throughput was measured. The measured sweep and every bootstrap replicate go
 * through this one function, so the spread of the replicates contains the choice of the form.
 */
import { fitIsotonic } from './isotonic.ts'
import { fitJoint, isJointPoint } from './joint.ts'
import { type StepLaw, stepTimeMs } from './law.ts'
import { readSaturation, type SaturationReading } from './saturation.ts'
import { type Candidate, isotonicLooMs, selectStepForm, summarise } from './select.ts'
import type { StepCurve, StepPoint } from './step-forms.ts'
import type { Sweep, SweepPoint } from './sweep.ts'

/** A law whose leave-one-out error reaches this is not used: the isotonic fit is. */
export const LOO_ERROR_MAX = 0.1
/** From this error on a law gives way to the isotonic fit where that predicts better by more than a standard error. */
const LOO_ERROR_DOUBTFUL = 0.05

/** The chosen step curve with its leave-one-out record. */
export type StepFit = Omit<Candidate, 'curve'> & { readonly curve: StepCurve }

export interface SweepFit {
  readonly law: StepLaw
  readonly step: StepFit
  readonly saturation: SaturationReading
  /** True when throughput, TTFT and TPOT were refined together. */
  readonly joint: boolean
  readonly converged: boolean
}

export interface PipelineOptions {
  /** Only parametric forms (bootstrap of a parametric fit) or only isotonic; null decides by the 10 % rule. */
  readonly family: 'parametric' | 'isotonic' | null
  readonly prefill: Pick<StepLaw, 'prefillMs' | 'prefillSource'>
  /** Relative decrease at which the joint refinement stops. */
  readonly tolerance: number
}

/** Chooses and fits the step curve of points in order of their batch. */
export function fitStep(
  points: readonly StepPoint[],
  options: { expertFraction: number | null; family: PipelineOptions['family'] },
): StepFit {
  if (options.family === 'isotonic') return isotonicStep(points)
  const chosen = selectStepForm({ points, expertFraction: options.expertFraction })
  if (options.family === 'parametric' || chosen.looErrorFraction < LOO_ERROR_DOUBTFUL) return chosen
  const joined = isotonicStep(points)
  const clearlyBetter = joined.looErrorFraction + joined.looStandardError < chosen.looErrorFraction
  return chosen.looErrorFraction >= LOO_ERROR_MAX || clearlyBetter ? joined : chosen
}

function isotonicStep(points: readonly StepPoint[]): StepFit {
  const looMs = isotonicLooMs(points)
  return { curve: isotonicCurve(points), looMs, ...summarise(points, looMs) }
}

/** Fits one sweep, in order of its decode batches, at least four points. */
export function fitSweep(sweep: Sweep, options: PipelineOptions): SweepFit {
  const step = fitStep(sweep.points, { expertFraction: sweep.expertFraction, family: options.family })
  const saturation = readSaturation(sweep.points)
  const law: StepLaw = {
    ...step.curve,
    saturationBatch: saturation.decodeBatch,
    ttftBaseMs: saturation.ttft.baseMs,
    ttftSlopeMs: saturation.ttft.slopeMs,
    ...options.prefill,
  }
  const refined = refineJointly(law, { sweep, saturation, tolerance: options.tolerance })
  if (refined === null) return { law, step, saturation, joint: false, converged: true }
  return { law: refined.law, step, saturation, joint: refined.accepted, converged: refined.converged }
}

/**
 * True for a level that queues while the law knows no saturation (one level past it, or a batch limit that the plan steps):
 * its step time is known, but the closed loop of the law does not explain its batch.
 */
export function queuesUnexplained(fit: Pick<SweepFit, 'law' | 'saturation'>, index: number): boolean {
  return fit.law.saturationBatch === null && fit.saturation.past.includes(index)
}

function isotonicCurve(points: readonly StepPoint[]): StepCurve {
  return {
    form: 'isotonic',
    baseMs: 0,
    slopeMs: 0,
    shapeMs: 0,
    expertFraction: null,
    knots: fitIsotonic(points).knots,
  }
}

// Fewer points than this leave nothing to check the joint parameters with.
const JOINT_POINTS_MIN = 4

function refineJointly(
  law: StepLaw,
  from: { sweep: Sweep; saturation: SaturationReading; tolerance: number },
): { law: StepLaw; accepted: boolean; converged: boolean } | null {
  const { sweep, saturation, tolerance } = from
  const explained = sweep.points.filter((_, index) => !queuesUnexplained({ law, saturation }, index))
  const points = explained.filter(isJointPoint)
  if (law.form === 'isotonic' || points.length < explained.length || points.length < JOINT_POINTS_MIN)
    return null
  const joint = fitJoint({ start: law, points, outputTokens: sweep.outputTokens, tolerance })
  // Where a straight TTFT line is badly wrong it would bend the step time, which decides: then the parts stand alone.
  const accepted =
    joint.converged && tpotError(joint.law, points) <= 1.5 * tpotError(law, points) + JOINT_SLACK_FRACTION
  return { law: accepted ? joint.law : law, accepted, converged: joint.converged }
}

const JOINT_SLACK_FRACTION = 0.005

function tpotError(law: StepLaw, points: readonly SweepPoint[]): number {
  const errors = points.map((point) => Math.abs(stepTimeMs(law, point.batch) / point.stepMs - 1))
  return errors.reduce((sum, error) => sum + error, 0) / errors.length
}
