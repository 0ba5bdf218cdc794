/**
 * Judges one promise on the requests of a step.
 *
 * A failed request counts as over the limit: a server that refuses half of its requests answers the others quickly.
 * A request that the metric does not apply to (a one-token reply has no TPOT) counts neither way. Neighbouring
 * requests are alike, so counts are scaled down to what they are worth as independent ones before the evidence is
 * weighed: by the autocorrelation of the violations or, since there may be none to learn from, of being among the
 * slowest fifth, whichever leaves less. (The latencies themselves remember longer than their peaks do: they would ask
 * for 1.6 to 1.8 times the requests. The slowest tenth is too few to learn from: it let false verdicts pass 5 %.)
 * A promised mean is judged on the successful requests; the gate on errors guards it.
 */
import { effectiveSampleSize, meanOf, varianceOf } from '../metrics/batch-means.ts'
import { percentileOfSorted } from '../metrics/percentile.ts'
import { meanNeededN, meanVerdict } from './mean-sequence.ts'
import { moreToDecide, sequentialVerdict } from './sequential.ts'
import type { SloTarget } from './target.ts'
import type { SloVerdict } from './verdict.ts'

/** Requests in order of their start. */
export interface JudgedRequests {
  /** The metric, ms; NaN: the request has none. */
  readonly perRequest: Float64Array
  /** The values that exist, in the same order, and ascending. */
  readonly values: Float64Array
  readonly sorted: Float64Array
  /** 1 where the request failed, or never brought what the metric waits for. */
  readonly failed: Uint8Array
}

/** The verdict with its evidence. */
export function judgeSlo(target: SloTarget, requests: JudgedRequests): SloVerdict {
  return target.percentile === 'mean'
    ? judgeMean(target, requests)
    : judgePercentile({ target, percentile: target.percentile, requests })
}

/**
 * The verdict from counts alone, for metrics that are kept as a histogram.
 *
 * @param effectiveN what the n values are worth as independent ones
 */
export function judgeCounts({
  target,
  percentile,
  n,
  over,
  effectiveN,
  measuredMs,
}: {
  readonly target: SloTarget
  readonly percentile: number
  readonly n: number
  readonly over: number
  readonly effectiveN: number
  readonly measuredMs: number | null
}): SloVerdict {
  const worth = n === 0 ? 1 : effectiveN / n
  const counts = { over: over * worth, n: n * worth, allowedFraction: 1 - percentile / 100 }
  const more = moreToDecide(counts)
  return {
    target,
    verdict: sequentialVerdict(counts),
    n,
    effectiveN,
    over,
    measuredMs,
    moreRequests: more === null || more === 0 ? null : Math.ceil(more / worth),
  }
}

function judgePercentile({
  target,
  percentile,
  requests,
}: {
  readonly target: SloTarget
  readonly percentile: number
  readonly requests: JudgedRequests
}): SloVerdict {
  const { violations, over } = violationsOf(requests, target.maxMs)
  const n = violations.length
  const worth = Math.min(worthOf(slowestFifth(requests)), worthOf(violations))
  const measuredMs = percentileOfSorted(requests.sorted, percentile)
  return judgeCounts({ target, percentile, n, over, effectiveN: n * worth, measuredMs })
}

function judgeMean(target: SloTarget, { values }: JudgedRequests): SloVerdict {
  const n = values.length
  if (n < 2) return { ...NOTHING, target, n, effectiveN: n, measuredMs: n === 1 ? meanOf(values) : null }
  const mean = meanOf(values)
  const evidence = {
    mean,
    standardDeviation: Math.sqrt(varianceOf(values, mean)),
    effectiveN: n * worthOf(values),
  }
  const verdict = meanVerdict(evidence, target.maxMs)
  const needed = verdict === 'undecided' ? meanNeededN(evidence, target.maxMs) : null
  const moreRequests =
    needed === null ? null : Math.ceil(((needed - evidence.effectiveN) * n) / evidence.effectiveN)
  return { target, verdict, n, effectiveN: evidence.effectiveN, over: null, measuredMs: mean, moreRequests }
}

const NOTHING = { verdict: 'undecided', over: null, moreRequests: null } as const

function worthOf(values: ArrayLike<number>): number {
  return values.length === 0 ? 1 : effectiveSampleSize(values) / values.length
}

// 1 where a request is among the slowest fifth.
function slowestFifth({ values, sorted }: JudgedRequests): Uint8Array {
  const boundary = percentileOfSorted(sorted, 80) ?? 0
  return Uint8Array.from(values, (value) => (value > boundary ? 1 : 0))
}

// 1 where the promise was broken; requests that it does not apply to are left out.
function violationsOf({ perRequest, failed }: JudgedRequests, maxMs: number) {
  const violations = new Uint8Array(perRequest.length)
  let [count, over] = [0, 0]
  for (let index = 0; index < perRequest.length; index++) {
    const value = perRequest[index] ?? Number.NaN
    const isFailed = failed[index] === 1
    if (!isFailed && Number.isNaN(value)) continue
    const isOver = isFailed || value > maxMs
    violations[count++] = isOver ? 1 : 0
    if (isOver) over++
  }
  return { violations: violations.subarray(0, count), over }
}
