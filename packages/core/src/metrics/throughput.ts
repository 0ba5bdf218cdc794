/** Rates of a step, counted inside its window. */
import { batchMeans } from './batch-means.ts'
import type { Intervals, Window } from './concurrency.ts'
import { endedAtMs, isOk } from './request.ts'
import type { ShardRecord } from './sample.ts'

/** Instants of the successful completions inside the window, ascending, ms. */
export function completionInstants(shards: readonly ShardRecord[], window: Window): Float64Array {
  const instants = new Float64Array(shards.reduce((sum, shard) => sum + shard.samples.length, 0))
  let count = 0
  for (const shard of shards) {
    for (const sample of shard.samples) {
      if (!isOk(sample)) continue
      const atMs = endedAtMs(sample)
      if (atMs !== null && atMs >= window.startMs && atMs < window.endMs) instants[count++] = atMs
    }
  }
  return instants.subarray(0, count).sort()
}

/**
 * (n - 1) / (last end - first end), 1/s: n completions bound n - 1 intervals. Counting n over the window would be
 * wrong by up to one request at each edge. Null with fewer than two, or all at one instant.
 */
export function requestsPerS(completions: Float64Array): number | null {
  const [first, last] = [completions[0], completions.at(-1)]
  if (first === undefined || last === undefined || !(last > first)) return null
  return ((completions.length - 1) / (last - first)) * 1_000
}

/** Relative standard error of requests/s, from batch means of the intervals between completions. */
export function requestsPerSError(completions: Float64Array): number | null {
  if (completions.length < 2) return null
  const gaps = new Float64Array(completions.length - 1)
  for (let index = 0; index < gaps.length; index++)
    gaps[index] = (completions[index + 1] ?? 0) - (completions[index] ?? 0)
  return batchMeans(gaps)?.relativeError ?? null
}

/** Content events per bin over all shards; bins that not all of them cover whole are left out. */
export function contentEventSeries(
  shards: readonly ShardRecord[],
  window: Window,
): {
  readonly binMs: number
  readonly contentEvents: readonly number[]
} {
  const binMs = shards[0]?.contentEventBins.binMs ?? 0
  const odd = shards.find((shard) => shard.contentEventBins.binMs !== binMs)
  if (odd !== undefined) {
    throw new RangeError(`shards must share a bin width, got ${binMs} and ${odd.contentEventBins.binMs}`)
  }
  const whole = binMs > 0 ? Math.floor((window.endMs - window.startMs) / binMs) : 0
  const length = Math.min(whole, ...shards.map((shard) => shard.contentEventBins.counts.length))
  const contentEvents = Array.from({ length }, (_, bin) =>
    shards.reduce((sum, shard) => sum + (shard.contentEventBins.counts[bin] ?? 0), 0),
  )
  return { binMs, contentEvents }
}

/** Time from the first send to the last end, s; 0 without requests. */
export function wholeRunS({ startAtMs, endAtMs }: Intervals): number {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let index = 0; index < startAtMs.length; index++) {
    first = Math.min(first, startAtMs[index] ?? 0)
    last = Math.max(last, endAtMs[index] ?? 0)
  }
  return last > first ? (last - first) / 1_000 : 0
}
