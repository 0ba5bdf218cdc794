/** A fitted law, made faster or slower as a whole. */
import type { StepLaw } from '../fit/law.ts'
import type { MeasuredPoint } from './measured-point.ts'
import { percentileOf } from './simulate/latencies.ts'

/** The same law, all of whose step times are multiplied. */
export function scaledLaw(law: StepLaw, factor: number): StepLaw {
  return {
    ...law,
    baseMs: law.baseMs * factor,
    slopeMs: law.slopeMs * factor,
    shapeMs: law.shapeMs * factor,
    knots: law.knots.map(({ batch, stepMs }) => ({ batch, stepMs: stepMs * factor })),
  }
}

/**
 * What a fit of mean TPOTs is to be multiplied by to give the typical request's: the median of p50 / mean over the levels
 * that have both, else 1. A mean is pulled up by hiccups, a median is not.
 */
export function typicalFactor(points: readonly MeasuredPoint[]): number {
  const shares = points.flatMap(({ tpotMs }) =>
    tpotMs.p50 === null || tpotMs.mean === null ? [] : [tpotMs.p50 / tpotMs.mean],
  )
  return percentileOf(Float64Array.from(shares).sort(), 50) ?? 1
}
