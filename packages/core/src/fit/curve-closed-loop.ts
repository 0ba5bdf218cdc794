/** The closed-loop half of `curve`: the pipeline on the sweep, each level predicted from the others, and replicates. */
import { seededRandom } from '../random.ts'
import { bootstrapLaws, sweepNoise } from './bootstrap.ts'
import { closedLoopPoint } from './closed-loop.ts'
import type { CurveOutcome, LevelPrediction, OutcomeInput } from './curve.ts'
import { isDirtySweep } from './dirty-sweep.ts'
import { fitJoint, isJointPoint } from './joint.ts'
import { type StepLaw, stepTimeMs } from './law.ts'
import { levelBounds } from './leave-one-out.ts'
import { fitSweep, type PipelineOptions, type SweepFit } from './pipeline.ts'
import { type Sweep, sweepPoint } from './sweep.ts'

/** Fits a closed-loop sweep of at least four groups of repeats, in order of their decode batch. */
export function fitClosedLoopCurve(input: OutcomeInput): CurveOutcome {
  const { groups, outputTokens, expertFraction, prefill, seed, draws } = input
  const sweep: Sweep = { points: groups.map(sweepPoint), outputTokens, expertFraction }
  const options: PipelineOptions = { family: null, prefill, tolerance: 1e-9 }
  const fit = fitSweep(sweep, options)
  const bounds = levelBounds(sweep.points, fit.step)
  const refusal = fit.law.form === 'isotonic' && isDirtySweep(sweep.points) ? 'dirty-sweep' : null
  return {
    law: fit.law,
    draws:
      refusal === null
        ? bootstrapLaws({
            sweep,
            fit,
            noise: sweepNoise(sweep, fit),
            inflation: bounds.inflation,
            draws,
            random: seededRandom(seed, 'fit/bootstrap'),
            options,
          })
        : [],
    predictions: predictLevels(input, { sweep, fit, boundMs: bounds.boundMs }),
    looErrorFraction: fit.step.looErrorFraction,
    converged: fit.converged,
    joint: fit.joint,
    saturation: fit.saturation,
    refusal,
  }
}

function predictLevels(
  input: OutcomeInput,
  parts: { sweep: Sweep; fit: SweepFit; boundMs: readonly (readonly [number, number])[] },
): LevelPrediction[][] {
  const { sweep, fit, boundMs } = parts
  return input.groups.map((group, index) => {
    const point = sweep.points[index]
    if (point === undefined) return []
    const looRequestsPerS = fit.joint ? looThroughput(sweep, { law: fit.law, index }) : null
    const looTpotMs = fit.step.looMs[index] ?? Number.NaN
    return group.map((reading) => {
      const whole = predict(fit, {
        concurrency: reading.inFlight ?? point.concurrency,
        batch: point.batch,
        sweep,
      })
      return { ...whole, looTpotMs, looRequestsPerS, boundTpotMs: boundMs[index] ?? [looTpotMs, looTpotMs] }
    })
  })
}

function predict(fit: SweepFit, at: { concurrency: number; batch: number; sweep: Sweep }) {
  const { concurrency, batch, sweep } = at
  const { outputTokens } = sweep
  const hasTtft = sweep.points.some((point) => point.ttftMs !== null)
  if (fit.joint) {
    const { tpotMs, requestsPerS, ttftMs } = closedLoopPoint(fit.law, { concurrency, outputTokens })
    return { tpotMs, requestsPerS, ttftMs }
  }
  const tpotMs = stepTimeMs(fit.law, batch)
  if (!hasTtft) return { tpotMs, requestsPerS: null, ttftMs: null }
  const { requestsPerS, ttftMs } = closedLoopPoint(fit.law, { concurrency, outputTokens })
  return { tpotMs, requestsPerS, ttftMs }
}

// The joint model without one level, from the parameters with it (the minimum is near, and it is the same basin).
function looThroughput(sweep: Sweep, at: { law: StepLaw; index: number }): number | null {
  const left = sweep.points[at.index]
  if (left === undefined) return null
  const points = sweep.points.filter((point) => point !== left).filter(isJointPoint)
  const { law } = fitJoint({ start: at.law, points, outputTokens: sweep.outputTokens })
  return closedLoopPoint(law, { concurrency: left.concurrency, outputTokens: sweep.outputTokens })
    .requestsPerS
}
