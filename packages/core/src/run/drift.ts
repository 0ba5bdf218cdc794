/**
 * Did the server change while it was measured? The anchor level is measured first and last. Two readings of one server
 * differ by chance, about as much as their standard errors say; more than three of those, and more than five percent,
 * is the server, and then the order of the steps is in the curve.
 */
import type { StepSummary } from '../metrics/step-summary.ts'
import type { StepAttempt } from './history.ts'

export interface Drift {
  /** Last over first, minus 1. */
  readonly outputTokensPerSFraction: number | null
  readonly tpotFraction: number | null
  /** True when either is more than chance explains. */
  readonly isDrifting: boolean
}

const DRIFT_MIN_FRACTION = 0.05
const STANDARD_ERRORS = 3

/** The drift between the first and the last anchor; null when the anchor was not measured twice. */
export function driftOf(attempts: readonly StepAttempt[]): Drift | null {
  const anchors = attempts.flatMap(({ purpose, state, summary }) =>
    purpose === 'anchor' && state === 'finished' && summary !== null ? [summary] : [],
  )
  const [first, last] = [anchors[0], anchors.at(-1)]
  if (first === undefined || last === undefined || anchors.length < 2) return null
  const tokens = change(first.outputTokensPerS, last.outputTokensPerS)
  const tpot = change(first.latency.tpot.mean, last.latency.tpot.mean)
  const error = (part: (summary: StepSummary) => number | null) =>
    Math.hypot(part(first) ?? 0, part(last) ?? 0)
  return {
    outputTokensPerSFraction: tokens,
    tpotFraction: tpot,
    isDrifting:
      isBeyond(
        tokens,
        error(({ relativeErrors }) => relativeErrors.outputTokensPerS),
      ) ||
      isBeyond(
        tpot,
        error(({ relativeErrors }) => relativeErrors.tpot),
      ),
  }
}

function change(first: number | null, last: number | null): number | null {
  return first === null || last === null || first === 0 ? null : last / first - 1
}

function isBeyond(fraction: number | null, error: number): boolean {
  return fraction !== null && Math.abs(fraction) > Math.max(DRIFT_MIN_FRACTION, STANDARD_ERRORS * error)
}
