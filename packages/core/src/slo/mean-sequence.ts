/**
 * A confidence sequence for a mean: an interval that holds at all n at once, for promises about means
 * (`tpot:mean<40`). The sum of n standardised deviations crosses
 *
 *   sqrt( (n + 1/rho^2) * ln( (n*rho^2 + 1) / alpha^2 ) )
 *
 * ever with probability at most alpha (Robbins' normal mixture). With the estimated deviation it is an asymptotic
 * confidence sequence (Waudby-Smith et al., Ann. Statist. 52, 2024), hence the least n before it says anything. rho
 * makes it tightest around n = 200.
 */
import { VERDICT_ERROR } from './sequential.ts'

export const MEAN_SAMPLES_MIN = 30
const TIGHTEST_AT_N = 200
/** Both sides together; each is wrong in half of it. */
const ALPHA = 2 * VERDICT_ERROR
const RHO_SQUARED = (-2 * Math.log(ALPHA) + Math.log(-2 * Math.log(ALPHA) + 1)) / TIGHTEST_AT_N

export interface MeanEvidence {
  readonly mean: number
  readonly standardDeviation: number
  /** Independent values that the mean is worth. */
  readonly effectiveN: number
}

/** Half-width of the interval at this n, in units of the values; Infinity below the least n. */
export function meanHalfWidth({ standardDeviation, effectiveN }: Omit<MeanEvidence, 'mean'>): number {
  if (effectiveN < MEAN_SAMPLES_MIN) return Number.POSITIVE_INFINITY
  const boundary = (effectiveN + 1 / RHO_SQUARED) * Math.log((effectiveN * RHO_SQUARED + 1) / ALPHA ** 2)
  return (standardDeviation * Math.sqrt(boundary)) / effectiveN
}

/** The verdict on a mean that must stay under a limit, valid under repeated looks. */
export function meanVerdict(evidence: MeanEvidence, limit: number): 'met' | 'missed' | 'undecided' {
  const halfWidth = meanHalfWidth(evidence)
  if (evidence.mean + halfWidth < limit) return 'met'
  return evidence.mean - halfWidth > limit ? 'missed' : 'undecided'
}

/** Effective requests that decide it if mean and deviation stay; null when more than `nMax`. */
export function meanNeededN(evidence: MeanEvidence, limit: number, nMax = 1_000_000): number | null {
  const decided = (effectiveN: number) => meanVerdict({ ...evidence, effectiveN }, limit) !== 'undecided'
  let enough = Math.max(MEAN_SAMPLES_MIN, Math.ceil(evidence.effectiveN))
  while (!decided(enough)) {
    enough *= 2
    if (enough > nMax) return null
  }
  let short = Math.floor(enough / 2)
  while (enough - short > 1) {
    const middle = Math.floor((short + enough) / 2)
    if (decided(middle)) enough = middle
    else short = middle
  }
  return enough
}
