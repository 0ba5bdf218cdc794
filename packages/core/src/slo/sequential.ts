/**
 * Is a percentile promise kept? Decided while the requests come in, with an error that holds however often one looks.
 *
 * "p95 under the limit" says that at most a fraction p0 = 0.05 of requests is over it. A fixed-n test, repeated after
 * every request until it is pleased, is wrong far more often than it says: a server exactly at the limit gets a false
 * `met` in a fifth of the runs and more. So the evidence is a likelihood ratio against p0, averaged over what p might
 * be instead (a truncated Beta), for t of n over the limit:
 *
 *   M_met    = integral_0^p0 q^t (1-q)^(n-t) dPi_met(q)    / ( p0^t (1-p0)^(n-t) )
 *   M_missed = integral_p0^1 q^t (1-q)^(n-t) dPi_missed(q) / ( p0^t (1-p0)^(n-t) )
 *
 * Under any p >= p0 the first is a nonnegative supermartingale that starts at 1, so by Ville's inequality it ever
 * reaches 1/alpha with probability at most alpha (Robbins, Ann. Math. Statist. 41, 1970; Howard et al., Ann. Statist.
 * 49, 2021); likewise the second under p <= p0. `met` at M_met >= 20 is therefore false in at most 5 % of all runs,
 * under continuous looks. With nothing over the limit it takes n = 70 at p95, where a test with n fixed beforehand
 * takes 59: that is the price of looking.
 */
import { logBeta, logIncompleteBeta } from '../metrics/incomplete-beta.ts'

/** Chance of a false `met`, and of a false `missed`, over a whole run. */
export const VERDICT_ERROR = 0.05

export interface Counts {
  /** Requests over the limit; effective counts may be fractions. */
  readonly over: number
  readonly n: number
  /** p0: the fraction that may be over the limit, in (0, 1). */
  readonly allowedFraction: number
}

export type SequentialVerdict = 'met' | 'missed' | 'undecided'

/**
 * The verdict on t of n requests over the limit.
 *
 * @throws RangeError when over is not in [0, n] or the fraction not in (0, 1)
 */
export function sequentialVerdict(counts: Counts): SequentialVerdict {
  const { over, n, allowedFraction } = counts
  if (!(over >= 0 && over <= n)) throw new RangeError(`over must lie in [0, n], got ${over} of ${n}`)
  if (!(allowedFraction > 0 && allowedFraction < 1)) {
    throw new RangeError(`allowedFraction must lie in (0, 1), got ${allowedFraction}`)
  }
  const threshold = -Math.log(VERDICT_ERROR)
  if (logEvidenceMet(counts) >= threshold) return 'met'
  return logEvidenceMissed(counts) >= threshold ? 'missed' : 'undecided'
}

/** ln M_met. The prior leans to servers that keep the promise with room: its mean is below p0/2. */
export function logEvidenceMet({ over, n, allowedFraction: p0 }: Counts): number {
  const [a, b] = [0.5, 1 / p0]
  const mass = (x: number, y: number) => logBeta(x, y) + logIncompleteBeta({ x: p0, a: x, b: y })
  return mass(a + over, b + n - over) - mass(a, b) - logLikelihoodAtLimit({ over, n, allowedFraction: p0 })
}

/** ln M_missed. The prior is uniform above p0: a missed promise is usually missed by much. */
export function logEvidenceMissed({ over, n, allowedFraction: p0 }: Counts): number {
  const mass = (x: number, y: number) => logBeta(x, y) + logIncompleteBeta({ x: 1 - p0, a: y, b: x })
  return mass(1 + over, 1 + n - over) - mass(1, 1) - logLikelihoodAtLimit({ over, n, allowedFraction: p0 })
}

/**
 * How many more requests decide it if the share over the limit stays as it is; 0 when it is decided, null when more
 * than `moreMax` would be needed.
 */
export function moreToDecide(counts: Counts, moreMax = 1_000_000): number | null {
  if (sequentialVerdict(counts) !== 'undecided') return 0
  const share = counts.n === 0 ? 0 : counts.over / counts.n
  const decided = (more: number) =>
    sequentialVerdict({ ...counts, over: counts.over + share * more, n: counts.n + more }) !== 'undecided'
  let enough = 1
  while (!decided(enough)) {
    enough *= 2
    if (enough > moreMax) return null
  }
  let short = Math.floor(enough / 2)
  while (enough - short > 1) {
    const middle = Math.floor((short + enough) / 2)
    if (decided(middle)) enough = middle
    else short = middle
  }
  return enough
}

function logLikelihoodAtLimit({ over, n, allowedFraction }: Counts): number {
  return over * Math.log(allowedFraction) + (n - over) * Math.log1p(-allowedFraction)
}
