/**
 * A percentile of TPOT or TTFT against the decode batch, on the levels that a curve was fitted to. A percentile is not
 * a mean scaled up: it is fitted to its own column, with the same forms, on the same abscissa, with replicates of its
 * own. Where a table does not carry the column there is no answer.
 */
import { seededRandom } from '../random.ts'
import { type CurveFit, LEVELS_MIN } from './curve.ts'
import { bentKnots } from './isotonic.ts'
import { stepTimeMs } from './law.ts'
import { levelBounds } from './leave-one-out.ts'
import type { Level } from './level.ts'
import { disturbances, drawSigma, noiseScale } from './noise.ts'
import { fitStep } from './pipeline.ts'
import { queueingReadings, usableReadings } from './queueing.ts'
import {
  coefficientsInUse,
  MODEL_FLOOR_FRACTION,
  type StepCurve,
  type StepPoint,
  stepWeight,
} from './step-forms.ts'
import { groupRepeats, sweepPoint } from './sweep.ts'

export interface ColumnFit {
  readonly curve: StepCurve
  readonly draws: readonly StepCurve[]
  readonly looErrorFraction: number
  readonly points: readonly StepPoint[]
}

/**
 * Fits one column of a curve's usable levels.
 *
 * @param valueOf reads the column, null where a level lacks it
 * @param unsaturatedOnly leaves out levels past saturation, where TTFT is a queue and no function of the batch
 * @returns null when fewer than four levels carry the column
 */
export function fitColumn(
  curve: CurveFit,
  request: {
    valueOf: (level: Level) => number | null
    unsaturatedOnly: boolean
    expertFraction: number | null
    seed: number
    draws: number
    name: string
  },
): ColumnFit | null {
  const points = columnPoints(curve, request)
  if (new Set(points.map((point) => point.batch)).size < LEVELS_MIN) return null
  const fit = fitStep(points, { expertFraction: request.expertFraction, family: null })
  const random = seededRandom(request.seed, `fit/column/${request.name}`)
  const family = fit.curve.form === 'isotonic' ? 'isotonic' : 'parametric'
  const fitted = points.map((point) => stepTimeMs(fit.curve, point.batch))
  const noise = noiseScale({
    residuals: points.map((point, index) => point.stepMs / (fitted[index] ?? 1) - 1),
    parameters: coefficientsInUse(fit.curve),
    priorFraction: MODEL_FLOOR_FRACTION,
  })
  const { inflation } = levelBounds(points, { curve: fit.curve, fittedMs: fitted, looMs: fit.looMs })
  const draws = Array.from({ length: request.draws }, () => {
    const moods = disturbances(points.length, { sigma: inflation * drawSigma(noise, random), random })
    const replicate = points.map((point, index) => ({
      ...point,
      stepMs: (fitted[index] ?? 0) * Math.exp(moods[index] ?? 0),
    }))
    const { curve: drawn } = fitStep(replicate, { expertFraction: request.expertFraction, family })
    return family === 'isotonic' ? { ...drawn, knots: bentKnots(drawn.knots, random) } : drawn
  })
  return { curve: fit.curve, draws, looErrorFraction: fit.looErrorFraction, points }
}

function columnPoints(
  curve: CurveFit,
  request: { valueOf: (level: Level) => number | null; unsaturatedOnly: boolean },
): StepPoint[] {
  const limit = request.unsaturatedOnly ? saturationOnset(curve) : Number.POSITIVE_INFINITY
  const queueing = request.unsaturatedOnly ? queueingReadings(curve) : new Set()
  const readings = usableReadings(curve).filter(
    (reading) => request.valueOf(reading.level) !== null && !queueing.has(reading),
  )
  // Repeats of a level count once here too: left out one by one, each would predict the other.
  return groupRepeats(readings)
    .map((group) => {
      const { batch } = sweepPoint(group)
      const stepMs = group.reduce((sum, { level }) => sum + (request.valueOf(level) ?? 0), 0) / group.length
      return { batch, stepMs, weight: stepWeight({ stepMs, standardErrorFraction: null }) }
    })
    .filter((point) => point.batch < limit)
}

function saturationOnset(curve: CurveFit): number {
  const saturation = curve.saturation?.decodeBatch ?? null
  return saturation === null ? Number.POSITIVE_INFINITY : 0.97 * saturation
}
