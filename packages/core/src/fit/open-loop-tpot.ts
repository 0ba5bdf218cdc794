/**
 * TPOT against the arrival rate. In open loop the decode batch is not set but follows: b = λ·(O − 1)·TPOT. Put that
 * into the linear step time TPOT = a + s·b and solve:
 *
 *   TPOT(λ) = a / (1 − λ·(O − 1)·s)
 *
 * Fitted by least squares on logarithms, because the curve steepens towards its pole and a plain residual there would
 * outweigh all others. It describes a sweep up to KV exhaustion; it does not predict beyond it.
 */
import { levenbergMarquardt } from './levenberg-marquardt.ts'

export interface OpenLoopTpot {
  /** a, ms. */
  readonly baseMs: number
  /** s, ms per step and sequence. */
  readonly slopeMs: number
  readonly converged: boolean
}

/** One arrival rate and the TPOT it had. */
export interface OpenLoopTpotPoint {
  readonly ratePerS: number
  readonly tpotMs: number
}

/**
 * Least squares on logarithms of a / (1 − λ·(O − 1)·s).
 *
 * @param points at least two rates
 * @param outputTokens O > 1
 */
export function fitOpenLoopTpot(points: readonly OpenLoopTpotPoint[], outputTokens: number): OpenLoopTpot {
  const rateMax = Math.max(...points.map((point) => point.ratePerS))
  const lowest = points.reduce((left, right) => (right.ratePerS < left.ratePerS ? right : left))
  const highest = points.reduce((left, right) => (right.ratePerS > left.ratePerS ? right : left))
  const rise = Math.min(0.95, Math.max(0.01, 1 - lowest.tpotMs / highest.tpotMs))
  // u = λmax·(O − 1)·s lies in (0, 1); its logit is free of bounds.
  const result = levenbergMarquardt({
    residuals: ([logBase = 0, logit = 0]) => {
      const load = 1 / (1 + Math.exp(-logit))
      return points.map(
        ({ ratePerS, tpotMs }) => logBase - Math.log(1 - (load * ratePerS) / rateMax) - Math.log(tpotMs),
      )
    },
    start: [Math.log(lowest.tpotMs), Math.log(rise / (1 - rise))],
    iterationsMax: 100,
  })
  const [logBase = 0, logit = 0] = result.parameters
  const load = 1 / (1 + Math.exp(-logit))
  return {
    baseMs: Math.exp(logBase),
    slopeMs: (1000 * load) / (rateMax * (outputTokens - 1)),
    converged: result.converged,
  }
}

/** TPOT of the fitted form at an arrival rate, ms; infinite at and beyond its pole. */
export function openLoopTpotMs(
  fit: { readonly baseMs: number; readonly slopeMs: number },
  at: { ratePerS: number; outputTokens: number },
): number {
  const room = 1 - (at.ratePerS / 1000) * (at.outputTokens - 1) * fit.slopeMs
  return room > 0 ? fit.baseMs / room : Number.POSITIVE_INFINITY
}
