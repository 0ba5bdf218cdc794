/**
 * The joint closed-loop model: one law for throughput, TTFT and TPOT of all levels at once.
 *
 * The step fit sees TPOT against the measured batch, the TTFT line sees TTFT, the plateau gives B*. Little's law ties
 * the three together, so they are refined together: the parameters (a, s, d, t0, t1, B*) minimise the squares of
 *
 *   ln X − ln X̂     0.3·(ln TTFT − ln TTFT̂)     ln TPOT − ln TPOT̂
 *
 * where the hats are the closed-loop point of the law at each N. TTFT counts less: it is noisier, and beyond saturation
 * it is only the queue. Parameters are logarithms (all are positive); one that starts or ends at zero is left out of
 * the model and the rest refitted, so that a boundary is never mistaken for a minimum.
 */
import { closedLoopPoint } from './closed-loop.ts'
import type { StepLaw } from './law.ts'
import { levenbergMarquardt } from './levenberg-marquardt.ts'
import type { SweepPoint } from './sweep.ts'

const FREE = ['baseMs', 'slopeMs', 'shapeMs', 'ttftBaseMs', 'ttftSlopeMs', 'saturationBatch'] as const
type FreeParameter = (typeof FREE)[number]

export interface JointFit {
  readonly law: StepLaw
  readonly converged: boolean
  /** Sum of squared logarithmic residuals. */
  readonly sumOfSquares: number
}

/** A point that the joint model can use: throughput and TTFT measured. */
export type JointPoint = SweepPoint & { readonly ttftMs: number; readonly requestsPerS: number }

/** Weight of a TTFT residual against those of throughput and TPOT. */
export const TTFT_RESIDUAL_WEIGHT = 0.3

/** True for points that carry throughput and TTFT of their own. */
export function isJointPoint(point: SweepPoint): point is JointPoint {
  return point.requestsPerS !== null && point.ttftMs !== null && point.ttftMs > 0
}

/**
 * Refines a law on throughput, TTFT and TPOT together.
 *
 * @param start law from the step fit, the TTFT line and the plateau; its zero parameters stay zero
 * @param tolerance relative decrease of the objective at which it stops; bootstrap draws can do with less
 */
export function fitJoint(input: {
  start: StepLaw
  points: readonly JointPoint[]
  outputTokens: number
  tolerance?: number
}): JointFit {
  const first = refine(input)
  const batchMax = Math.max(...input.points.map((point) => point.batch))
  const reduced = dropVanished(first.law, batchMax)
  return reduced === null ? first : refine({ ...input, start: reduced })
}

function refine(input: {
  start: StepLaw
  points: readonly JointPoint[]
  outputTokens: number
  tolerance?: number
}): JointFit {
  const { start, points, outputTokens, tolerance = 1e-9 } = input
  const free = FREE.filter((name) => (start[name] ?? 0) > 0)
  const toLaw = (parameters: readonly number[]) => withParameters(start, free, parameters)
  const result = levenbergMarquardt({
    residuals: (parameters) => residuals(toLaw(parameters), points, outputTokens),
    start: free.map((name) => Math.log(start[name] ?? 1)),
    iterationsMax: 60,
    tolerance,
  })
  return {
    law: toLaw(result.parameters),
    converged: result.converged,
    sumOfSquares: result.sumOfSquares,
  }
}

function withParameters(
  start: StepLaw,
  free: readonly FreeParameter[],
  parameters: readonly number[],
): StepLaw {
  const law = { ...start }
  free.forEach((name, index) => {
    law[name] = Math.exp(parameters[index] ?? 0)
  })
  return law
}

function residuals(law: StepLaw, points: readonly JointPoint[], outputTokens: number): number[] {
  const values: number[] = []
  for (const point of points) {
    const predicted = closedLoopPoint(law, { concurrency: point.concurrency, outputTokens })
    values.push(
      Math.log(predicted.requestsPerS / point.requestsPerS),
      TTFT_RESIDUAL_WEIGHT * Math.log(predicted.ttftMs / point.ttftMs),
      Math.log(predicted.tpotMs / point.stepMs),
    )
  }
  return values
}

// A logarithm drifts to minus infinity when its parameter wants to be zero: say zero, and fit what is left.
function dropVanished(law: StepLaw, batchMax: number): StepLaw | null {
  const stepMs = law.baseMs + law.slopeMs * batchMax + law.shapeMs
  const ttftMs = law.ttftBaseMs + law.ttftSlopeMs * batchMax
  const gone = (share: number) => share > 0 && share < 1e-6
  const reduced = {
    ...law,
    baseMs: gone(law.baseMs / stepMs) ? 0 : law.baseMs,
    slopeMs: gone((law.slopeMs * batchMax) / stepMs) ? 0 : law.slopeMs,
    shapeMs: gone(law.shapeMs / stepMs) ? 0 : law.shapeMs,
    ttftBaseMs: gone(law.ttftBaseMs / ttftMs) ? 0 : law.ttftBaseMs,
    ttftSlopeMs: gone((law.ttftSlopeMs * batchMax) / ttftMs) ? 0 : law.ttftSlopeMs,
  }
  return FREE.some((name) => reduced[name] !== law[name]) ? reduced : null
}
