/**
 * The fitted curve as a line to draw: step time and throughput of the law over the decode batches that were measured,
 * with the 90 % bounds that the levels give it. Throughput follows from the law: b sequences share steps of itl(b) ms,
 * and O - 1 of each request's O tokens are made in them, so
 *
 *   output tokens/s = 1000 b / itl(b) * O / (O - 1).
 */
import type { FitLevelReport, FitReport } from '@loadcurve/core/capacity/recommendation'
import { type StepForm, stepTimeMs } from '@loadcurve/core/fit/law'

export interface FittedPoint {
  readonly decodeBatch: number
  readonly tpotMs: number
  readonly boundTpotMs: readonly [number, number] | null
  readonly outputTokensPerS: number
}

const POINTS = 40

type Law = Parameters<typeof stepTimeMs>[0]

/** Empty where there is no law. Never beyond the measured batches: the law is not drawn where nothing supports it. */
export function fittedCurve(fit: FitReport): readonly FittedPoint[] {
  const levels = predictedLevels(fit)
  const [first, last] = [levels[0], levels.at(-1)]
  if (first === undefined || last === undefined || !(last.decodeBatch > first.decodeBatch)) return []
  const { decodeBatch: from } = first
  const step = (last.decodeBatch - from) / POINTS
  return Array.from({ length: POINTS + 1 }, (_, index) => fittedPoint(fit, from + index * step)).filter(
    (point) => point !== null,
  )
}

/** The law at one decode batch inside the measured range, else null. */
export function fittedPoint(fit: FitReport, decodeBatch: number): FittedPoint | null {
  const levels = predictedLevels(fit)
  const [first, last] = [levels[0], levels.at(-1)]
  const law = lawOf(fit, levels)
  if (law === null || first === undefined || last === undefined) return null
  if (decodeBatch < first.decodeBatch || decodeBatch > last.decodeBatch) return null
  const tpotMs = stepTimeMs(law, decodeBatch)
  const bound = ([0, 1] as const).map((side) => interpolated(levels, decodeBatch, side))
  const [low, high] = bound
  return {
    decodeBatch,
    tpotMs,
    boundTpotMs: low == null || high == null ? null : [tpotMs * low, tpotMs * high],
    outputTokensPerS: ((1000 * decodeBatch) / tpotMs) * firstTokenFactor(levels),
  }
}

/** Where throughput over latency is largest, b = a/s; null where it was not measured. It decides nothing. */
export function kneeOf(fit: FitReport): FittedPoint | null {
  const batch = fit.knees['throughputOverLatency'] ?? null
  return batch === null ? null : fittedPoint(fit, batch)
}

type Predicted = FitLevelReport & { readonly decodeBatch: number; readonly predictedTpotMs: number }

function predictedLevels({ levels }: FitReport): Predicted[] {
  return levels
    .filter(
      (level): level is Predicted =>
        level.excluded === null && level.decodeBatch !== null && level.predictedTpotMs !== null,
    )
    .sort((left, right) => left.decodeBatch - right.decodeBatch)
}

function lawOf({ model, params }: FitReport, levels: readonly Predicted[]): Law | null {
  if (model === 'isotonic') {
    const knots = levels.map(({ decodeBatch, predictedTpotMs }) => ({
      batch: decodeBatch,
      stepMs: predictedTpotMs,
    }))
    return { form: 'isotonic', baseMs: 0, slopeMs: 0, shapeMs: 0, expertFraction: null, knots }
  }
  const { baseMs, slopeMs, shapeMs, expertFraction = null } = params
  if (baseMs == null || slopeMs == null || shapeMs == null) return null
  return { form: model as StepForm, baseMs, slopeMs, shapeMs, expertFraction, knots: [] }
}

// Bounds are given at levels; between two of them their distance to the law, as a ratio, changes evenly with b.
function interpolated(levels: readonly Predicted[], batch: number, side: 0 | 1): number | null {
  const known = levels.flatMap(({ decodeBatch, predictedTpotMs, boundTpotMs }) =>
    boundTpotMs === null ? [] : [{ batch: decodeBatch, ratio: boundTpotMs[side] / predictedTpotMs }],
  )
  const right = known.find((level) => level.batch >= batch) ?? known.at(-1)
  const left = known.findLast((level) => level.batch <= batch) ?? known[0]
  if (right === undefined || left === undefined) return null
  if (right.batch === left.batch) return right.ratio
  return left.ratio + ((batch - left.batch) / (right.batch - left.batch)) * (right.ratio - left.ratio)
}

// O / (O - 1): the first token of a request is made by its prefill. 1 where no level tells its lengths.
function firstTokenFactor(levels: readonly Predicted[]): number {
  const lengths = levels.flatMap(({ outputTokensPerS, requestsPerS }) =>
    outputTokensPerS === null || requestsPerS === null || requestsPerS === 0
      ? []
      : [outputTokensPerS / requestsPerS],
  )
  const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length
  return mean > 1 ? mean / (mean - 1) : 1
}
