/** The open-loop half of `curve`: TPOT against the arrival rate, each level predicted from the others, and replicates. */
import { seededRandom } from '../random.ts'
import type { CurveOutcome, LevelPrediction, OutcomeInput } from './curve.ts'
import { isDirtySweep } from './dirty-sweep.ts'
import { BOUND_COVERAGE } from './leave-one-out.ts'
import { bootstrapOpenLoop, fitOpenLoopSweep, type RatePoint } from './open-loop-sweep.ts'
import { openLoopTpotMs } from './open-loop-tpot.ts'
import { LOO_ERROR_MAX } from './pipeline.ts'
import { studentQuantile } from './student.ts'
import { sweepPoint } from './sweep.ts'

/** Fits a sweep of arrival rates of at least four groups of repeats. */
export function fitOpenLoopCurve(input: OutcomeInput): CurveOutcome {
  const { outputTokens, prefill, seed, draws } = input
  const groups = [...input.groups].sort((left, right) => rateOf(left) - rateOf(right))
  const points: RatePoint[] = groups.map((group) => ({ ...sweepPoint(group), ratePerS: rateOf(group) }))
  const fit = fitOpenLoopSweep({ points, outputTokens, prefill })
  const errors = points.slice(1, -1).map((point, index) => (fit.looMs[index + 1] ?? 0) / point.stepMs - 1)
  const rms = Math.sqrt(errors.reduce((sum, error) => sum + error * error, 0) / errors.length)
  const inflation = Math.max(1, rms / fit.noise.sigma)
  const spread =
    studentQuantile({ coverage: BOUND_COVERAGE, degrees: fit.noise.degrees }) * inflation * fit.noise.sigma
  const byGroup = new Map(
    groups.map((group, index): [typeof group, LevelPrediction[]] => {
      const looTpotMs = fit.looMs[index] ?? Number.NaN
      const tpotMs = openLoopTpotMs(fit.law, { ratePerS: rateOf(group), outputTokens })
      const prediction: LevelPrediction = {
        tpotMs,
        requestsPerS: null,
        ttftMs: null,
        looTpotMs,
        boundTpotMs: [looTpotMs * Math.max(0, 1 - spread), looTpotMs * (1 + spread)],
        looRequestsPerS: null,
      }
      return [group, group.map(() => prediction)]
    }),
  )
  return {
    law: fit.law,
    draws: bootstrapOpenLoop({
      fit,
      points,
      outputTokens,
      prefill,
      inflation,
      draws,
      random: seededRandom(seed, 'fit/bootstrap'),
    }),
    predictions: input.groups.map((group) => byGroup.get(group) ?? []),
    looErrorFraction: fit.looErrorFraction,
    converged: fit.converged,
    joint: false,
    saturation: null,
    refusal:
      fit.looErrorFraction < LOO_ERROR_MAX ? null : isDirtySweep(points) ? 'dirty-sweep' : 'no-law-fits',
  }
}

function rateOf(group: OutcomeInput['groups'][number]): number {
  return group[0]?.level.ratePerS ?? Number.NaN
}
