/**
 * How many requests were in flight. The mean is the area under the sweep line of request intervals, clipped to the
 * window, over its length:
 *
 *   L = (1/T) * integral of in-flight dt = (1/T) * sum over requests of the part of [start, end) inside the window,
 *
 * because each request adds 1 to the line while it lives: summing by request gives the same area without sorting. It
 * is not the peak, not a count per second, and not the nominal concurrency.
 */

export interface Window {
  readonly startMs: number
  readonly endMs: number
}

export interface Intervals {
  readonly startAtMs: Float64Array
  /** Same length as startAtMs; each end is not before its start. */
  readonly endAtMs: Float64Array
}

/** Mean requests in flight during the window. @throws RangeError when the window is empty */
export function meanInFlight({ startAtMs, endAtMs }: Intervals, window: Window): number {
  const lengthMs = window.endMs - window.startMs
  if (!(lengthMs > 0))
    throw new RangeError(`window must have a length, got ${window.startMs} to ${window.endMs}`)
  let areaMs = 0
  for (let index = 0; index < startAtMs.length; index++) {
    const fromMs = Math.max(startAtMs[index] ?? 0, window.startMs)
    const toMs = Math.min(endAtMs[index] ?? 0, window.endMs)
    if (toMs > fromMs) areaMs += toMs - fromMs
  }
  return areaMs / lengthMs
}

/** Most requests in flight at any instant of the window: the sweep line itself, over sorted starts and ends. */
export function peakInFlight({ startAtMs, endAtMs }: Intervals, window: Window): number {
  const starts = startAtMs.slice().sort()
  const ends = endAtMs.slice().sort()
  let inFlight = 0
  let peak = 0
  let ended = 0
  for (const startMs of starts) {
    if (startMs >= window.endMs) break
    // Whoever ends at the instant at which another starts hands its place over.
    while (ended < ends.length && (ends[ended] ?? 0) <= startMs) {
      ended++
      inFlight--
    }
    inFlight++
    if (startMs >= window.startMs) peak = Math.max(peak, inFlight)
  }
  return Math.max(peak, inFlightAt(starts, ends, window.startMs))
}

function inFlightAt(starts: Float64Array, ends: Float64Array, atMs: number): number {
  return countAtMost(starts, atMs) - countAtMost(ends, atMs)
}

function countAtMost(sorted: Float64Array, limit: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? 0) <= limit) low = middle + 1
    else high = middle
  }
  return low
}
