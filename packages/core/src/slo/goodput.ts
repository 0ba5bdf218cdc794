/**
 * Goodput: requests that succeeded at their task and met every promise, of all that were scheduled. Errors, timeouts,
 * drops and empty answers are bad; a promise that does not apply to a request (TPOT of a one-token reply) neither
 * passes nor fails it. A promise about a percentile is read, per request, as its limit; gaps have no value per request
 * and are left to the verdicts.
 */
import type { JudgedRequests } from './judge.ts'
import type { SloTarget } from './target.ts'

export interface Promised extends JudgedRequests {
  readonly target: SloTarget
}

/**
 * Number of good requests.
 *
 * @param ok 1 where the request succeeded; its length is the number scheduled
 * @param promises the same requests, in the same order, for each promise
 */
export function countGood(ok: Uint8Array, promises: readonly Promised[]): number {
  let good = 0
  for (let index = 0; index < ok.length; index++) {
    if (ok[index] === 1 && promises.every((promise) => isKept(promise, index))) good++
  }
  return good
}

// NaN > limit is false: a value that is not applicable does not break the promise.
function isKept({ perRequest, failed, target }: Promised, index: number): boolean {
  return failed[index] !== 1 && !((perRequest[index] ?? Number.NaN) > target.maxMs)
}
