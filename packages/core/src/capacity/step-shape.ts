/**
 * The shape of the step time at small batches. A straight line through a sweep misses a server that is concave at the
 * start, and open-loop traffic spends its time just there: at 40 % utilisation a replica of eight places decodes one
 * or two requests. So the fitted curve competes with the plainest alternative, straight lines between the measured
 * levels. Each is judged where it has not seen the answer: the lines by leaving out one level at a time, the fit (which
 * has few parameters and many levels) by its residuals. The lines win only when they predict better.
 */
import { type StepLaw, stepTimeMs } from '../fit/law.ts'
import { type MeasuredPoint, typicalMs } from './measured-point.ts'

interface Knot {
  readonly batch: number
  readonly stepMs: number
}

/** Levels within this much of one another in batch are one level measured twice. */
const SAME_BATCH_FRACTION = 0.05
const KNOTS_MIN = 4

/**
 * The law to simulate: the fitted one, scaled from means to medians where the levels have both, or the measured levels
 * joined by straight lines. Its form is `isotonic` in the second case.
 *
 * @param law the fitted law
 * @param points measured levels; those at saturation repeat one batch and are merged
 * @param batchMax largest batch at which the law will be asked
 */
export function shapedLaw(
  law: StepLaw,
  points: readonly MeasuredPoint[],
  batchMax: number,
): { readonly law: StepLaw; readonly shape: 'fitted' | 'measured' } {
  const knots = mergedKnots(points)
  const scaled = scaledLaw(law, medianShare(points))
  const fittedError = rms(knots.map((knot) => Math.log(knot.stepMs / stepTimeMs(scaled, knot.batch))))
  const rising = knots.every((knot, index) => index === 0 || knot.stepMs >= (knots[index - 1]?.stepMs ?? 0))
  if (knots.length < KNOTS_MIN || !rising || !(leaveOneOutError(knots) < fittedError)) {
    return { law: scaled, shape: 'fitted' }
  }
  return { law: { ...law, form: 'isotonic', knots: withEnds(knots, scaled, batchMax) }, shape: 'measured' }
}

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
 * The shaped law moved to a bootstrap draw: at each batch by the factor by which the draw differs from the estimate.
 */
export function shapedDraw(shaped: StepLaw, estimate: StepLaw, draw: StepLaw): StepLaw {
  if (shaped.form !== 'isotonic' || estimate.form === 'isotonic') {
    return scaledLaw(draw, stepTimeMs(shaped, 1) / stepTimeMs(estimate, 1))
  }
  const knots = shaped.knots.map(({ batch, stepMs }) => ({
    batch,
    stepMs: (stepMs * stepTimeMs(draw, batch)) / stepTimeMs(estimate, batch),
  }))
  return { ...draw, form: 'isotonic', knots }
}

function mergedKnots(points: readonly MeasuredPoint[]): Knot[] {
  const sorted = points
    .flatMap(({ decodeBatch, tpotMs }) => {
      const stepMs = typicalMs(tpotMs)
      return stepMs === null ? [] : [{ batch: decodeBatch, stepMs }]
    })
    .sort((left, right) => left.batch - right.batch)
  const groups: Knot[][] = []
  for (const knot of sorted) {
    const group = groups.at(-1)
    const first = group?.[0]
    if (group !== undefined && first !== undefined && knot.batch <= first.batch * (1 + SAME_BATCH_FRACTION)) {
      group.push(knot)
    } else groups.push([knot])
  }
  return groups.map((group) => ({
    batch: mean(group.map((knot) => knot.batch)),
    stepMs: mean(group.map((knot) => knot.stepMs)),
  }))
}

/** Relative error with which the straight line between its neighbours predicts each interior level, rms of logs. */
function leaveOneOutError(knots: readonly Knot[]): number {
  const errors = knots.slice(1, -1).map((knot, index) => {
    const left = knots[index] as Knot
    const right = knots[index + 2] as Knot
    return Math.log(knot.stepMs / lineAt(left, right, knot.batch))
  })
  return rms(errors)
}

/**
 * Knots from 0 to `batchMax`. Towards 0 the first straight piece goes on, but not below half the first measured step;
 * beyond the last level the fitted curve's increments are added.
 */
function withEnds(knots: readonly Knot[], fitted: StepLaw, batchMax: number): Knot[] {
  const first = knots[0] as Knot
  const second = knots[1] as Knot
  const last = knots.at(-1) as Knot
  const emptyMs = Math.max(first.stepMs / 2, lineAt(first, second, 0))
  const fullMs = last.stepMs + Math.max(0, stepTimeMs(fitted, batchMax) - stepTimeMs(fitted, last.batch))
  const start = first.batch > 0 ? [{ batch: 0, stepMs: Math.min(emptyMs, first.stepMs) }] : []
  const end = batchMax > last.batch ? [{ batch: batchMax, stepMs: fullMs }] : []
  return [...start, ...knots, ...end]
}

// A mean is pulled up by hiccups, a median is not; the simulated requests are typical ones.
function medianShare(points: readonly MeasuredPoint[]): number {
  const shares = points.flatMap(({ tpotMs }) =>
    tpotMs.p50 === null || tpotMs.mean === null ? [] : [tpotMs.p50 / tpotMs.mean],
  )
  return shares.length === 0
    ? 1
    : (shares.sort((left, right) => left - right)[Math.floor(shares.length / 2)] as number)
}

function lineAt(left: Knot, right: Knot, batch: number): number {
  return left.stepMs + ((right.stepMs - left.stepMs) * (batch - left.batch)) / (right.batch - left.batch)
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function rms(values: readonly number[]): number {
  return Math.sqrt(mean(values.map((value) => value * value)))
}
