/** Rates of a step, counted inside its window. */
import { varianceOf } from './batch-means.ts'
import type { Intervals, Window } from './concurrency.ts'
import { endedAtMs, isOk } from './request.ts'
import type { ShardRecord } from './sample.ts'

/** Instants of the successful completions inside the window, ms, in no order. */
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
  return instants.subarray(0, count)
}

/**
 * (n - 1) / (last end - first end), 1/s: n completions bound n - 1 intervals. Counting n over the window would be
 * wrong by up to one request at each edge. Null with fewer than two, or all at one instant.
 */
export function requestsPerS(completionsAtMs: Float64Array): number | null {
  const { firstMs, lastMs } = span(completionsAtMs)
  return lastMs > firstMs ? ((completionsAtMs.length - 1) / (lastMs - firstMs)) * 1_000 : null
}

/**
 * Relative standard error of requests/s: the completions counted in equal stretches of the window, as many as leave
 * each a few, at most 30. Null when that is fewer than 8.
 */
export function requestsPerSError(completionsAtMs: Float64Array, window: Window): number | null {
  const stretches = Math.min(STRETCHES_MAX, Math.floor(completionsAtMs.length / COMPLETIONS_PER_STRETCH))
  if (stretches < STRETCHES_MIN) return null
  const counts = new Float64Array(stretches)
  const stretchMs = (window.endMs - window.startMs) / stretches
  for (const atMs of completionsAtMs) {
    const stretch = Math.min(stretches - 1, Math.floor((atMs - window.startMs) / stretchMs))
    counts[stretch] = (counts[stretch] ?? 0) + 1
  }
  const mean = completionsAtMs.length / stretches
  return Math.sqrt(varianceOf(counts, mean) / stretches) / mean
}

const STRETCHES_MIN = 8
const STRETCHES_MAX = 30
const COMPLETIONS_PER_STRETCH = 3

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
  const { firstMs } = span(startAtMs)
  const { lastMs } = span(endAtMs)
  return lastMs > firstMs ? (lastMs - firstMs) / 1_000 : 0
}

function span(instantsMs: Float64Array): { readonly firstMs: number; readonly lastMs: number } {
  let firstMs = Number.POSITIVE_INFINITY
  let lastMs = Number.NEGATIVE_INFINITY
  for (const atMs of instantsMs) {
    if (atMs < firstMs) firstMs = atMs
    if (atMs > lastMs) lastMs = atMs
  }
  return { firstMs, lastMs }
}
