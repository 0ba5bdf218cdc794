/** The closed-loop half of `curve`: the pipeline on the sweep, each level predicted from the others, and replicates. */
import { seededRandom } from '../random.ts'
import { bootstrapLaws, sweepNoise } from './bootstrap.ts'
import { closedLoopPoint } from './closed-loop.ts'
import type { CurveOutcome, LevelPrediction, OutcomeInput } from './curve.ts'
import { isDirtySweep } from './dirty-sweep.ts'
import { fitJoint, isJointPoint } from './joint.ts'
import { type StepLaw, stepTimeMs } from './law.ts'
import { levelBounds } from './leave-one-out.ts'
import { fitSweep, type PipelineOptions, queuesUnexplained, type SweepFit } from './pipeline.ts'
import { summarise } from './select.ts'
import { type Sweep, type SweepPoint, sweepPoint } from './sweep.ts'

/** Fits a closed-loop sweep of at least four groups of repeats, in order of their decode batch. */
export function fitClosedLoopCurve(input: OutcomeInput): CurveOutcome {
  const { groups, outputTokens, expertFraction, prefill } = input
  const sweep: Sweep = { points: groups.map(sweepPoint), outputTokens, expertFraction }
  const options: PipelineOptions = { family: null, prefill, tolerance: 1e-9 }
  const fit = fitSweep(sweep, options)
  const whole = sweep.points.map((_, index) => predict(sweep, { fit, index }))
  const without = sweep.points.map((_, index) => predictWithout(sweep, { fit, index }))
  const bounds = levelBounds(sweep.points, {
    curve: fit.step.curve,
    fittedMs: whole.map((prediction) => prediction.tpotMs),
    looMs: without.map((prediction) => prediction.looTpotMs),
  })
  const predictions = whole.map((prediction, index): LevelPrediction => {
    const loo = without[index] as LeftOut
    return { ...prediction, ...loo, boundTpotMs: bounds.boundMs[index] ?? [loo.looTpotMs, loo.looTpotMs] }
  })
  const refusal = fit.law.form === 'isotonic' && isDirtySweep(sweep.points) ? 'dirty-sweep' : null
  const looMs = without.map((prediction) => prediction.looTpotMs)
  return {
    law: fit.law,
    draws: refusal === null ? drawLaws(input, { sweep, fit, options, inflation: bounds.inflation }) : [],
    // Repeats of a level share its prediction.
    predictions: groups.map((group, index) => group.map(() => predictions[index] as LevelPrediction)),
    looErrorFraction: summarise(sweep.points, looMs).looErrorFraction,
    converged: fit.converged,
    joint: fit.joint,
    saturation: fit.saturation,
    refusal,
  }
}

type LeftOut = Pick<LevelPrediction, 'looTpotMs' | 'looRequestsPerS'>

function drawLaws(
  input: OutcomeInput,
  parts: { sweep: Sweep; fit: SweepFit; options: PipelineOptions; inflation: number },
): StepLaw[] {
  return bootstrapLaws({
    ...parts,
    noise: sweepNoise(parts.sweep, parts.fit),
    draws: input.draws,
    random: seededRandom(input.seed, 'fit/bootstrap'),
  })
}

// With throughput measured, the closed loop at N is predicted; without it TPOT at the batch that Little's law gives.
function predict(sweep: Sweep, at: { fit: SweepFit; index: number }) {
  const { fit, index } = at
  const { outputTokens, points } = sweep
  const point = points[index] as SweepPoint
  if (queuesUnexplained(fit, index)) return predictQueue(fit.law, { point, outputTokens })
  const loop = closedLoopPoint(fit.law, { concurrency: point.concurrency, outputTokens })
  if (fit.joint) return { tpotMs: loop.tpotMs, requestsPerS: loop.requestsPerS, ttftMs: loop.ttftMs }
  const hasTtft = points.some((other) => other.ttftMs !== null)
  return {
    tpotMs: stepTimeMs(fit.law, point.batch),
    requestsPerS: hasTtft ? loop.requestsPerS : null,
    ttftMs: hasTtft ? loop.ttftMs : null,
  }
}

// At its measured batch, with whoever does not decode waiting.
function predictQueue(law: StepLaw, at: { point: SweepPoint; outputTokens: number }) {
  const { batch, concurrency } = at.point
  const tpotMs = stepTimeMs(law, batch)
  const perMs = batch / ((at.outputTokens - 1) * tpotMs)
  return { tpotMs, requestsPerS: 1000 * perMs, ttftMs: (concurrency - batch) / perMs }
}

// The joint model without one level starts from the parameters with it: the minimum is near, in the same basin.
function predictWithout(sweep: Sweep, at: { fit: SweepFit; index: number }): LeftOut {
  const { fit, index } = at
  const left = sweep.points[index]
  if (!fit.joint || left === undefined || queuesUnexplained(fit, index)) {
    return { looTpotMs: fit.step.looMs[index] ?? Number.NaN, looRequestsPerS: null }
  }
  const points = sweep.points
    .filter((point, other) => point !== left && !queuesUnexplained(fit, other))
    .filter(isJointPoint)
  const { law } = fitJoint({ start: fit.law, points, outputTokens: sweep.outputTokens })
  const { tpotMs, requestsPerS } = closedLoopPoint(law, {
    concurrency: left.concurrency,
    outputTokens: sweep.outputTokens,
  })
  return { looTpotMs: tpotMs, looRequestsPerS: requestsPerS }
}
