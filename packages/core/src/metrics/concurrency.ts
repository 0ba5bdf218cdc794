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
