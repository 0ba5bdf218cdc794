/**
 * Samples turned into columns. Everything after this works on typed arrays, since a step may hold a million samples
 * and an object per value would cost more than the statistics.
 */
import type { Intervals, Window } from './concurrency.ts'
import type { RequestMetric } from './request.ts'
import { endedAtMs, isOk, REQUEST_METRICS } from './request.ts'
import type { Sample, ShardRecord } from './sample.ts'

export const REQUEST_METRIC_NAMES = Object.keys(REQUEST_METRICS) as readonly RequestMetric[]

/** The measured requests (those that started inside the window), in the order of the schedule. */
export interface MeasuredColumns {
  readonly count: number
  readonly ok: Uint8Array
  /** Failed, by the server's fault or the load's bound; requests that we cancelled are neither ok nor failed. */
  readonly failed: Uint8Array
  /** Of successful requests, ms; NaN: the request has no such value. */
  readonly latency: Readonly<Record<RequestMetric, Float64Array>>
}

/** The window that all shards measured: the overlap of theirs. @throws RangeError without shards or overlap */
export function commonWindow(shards: readonly ShardRecord[]): Window {
  const startMs = Math.max(...shards.map((shard) => shard.windowStartMs))
  const endMs = Math.min(...shards.map((shard) => shard.windowEndMs))
  if (!(endMs > startMs)) throw new RangeError(`shards have no common window: ${startMs} to ${endMs}`)
  return { startMs, endMs }
}

/** The measured samples of all shards in the order of the schedule. */
export function measuredSamples(shards: readonly ShardRecord[]): readonly Sample[] {
  const measured: Sample[] = []
  for (const shard of shards) {
    for (const sample of shard.samples) if (sample.phase === 'window') measured.push(sample)
  }
  return inOrder(measured) ? measured : measured.sort((left, right) => left.index - right.index)
}

export function measuredColumns(samples: readonly Sample[]): MeasuredColumns {
  const count = samples.length
  const ok = new Uint8Array(count)
  const failed = new Uint8Array(count)
  for (let index = 0; index < count; index++) {
    const sample = samples[index]
    if (sample === undefined) continue
    ok[index] = isOk(sample) ? 1 : 0
    failed[index] = isOk(sample) || sample.outcome === 'cancelled' ? 0 : 1
  }
  const columns = REQUEST_METRIC_NAMES.map(
    (name) => [name, latencyColumn(samples, REQUEST_METRICS[name])] as const,
  )
  return { count, ok, failed, latency: Object.fromEntries(columns) as Record<RequestMetric, Float64Array> }
}

/** When each request that was sent, measured or not, was in flight. One that never ended lasts to `untilMs`. */
export function flightIntervals(shards: readonly ShardRecord[], untilMs: number): Intervals {
  const sizeMax = shards.reduce((sum, shard) => sum + shard.samples.length, 0)
  const startAtMs = new Float64Array(sizeMax)
  const endAtMs = new Float64Array(sizeMax)
  let count = 0
  for (const shard of shards) {
    for (const sample of shard.samples) {
      if (sample.sentAtMs === null) continue
      startAtMs[count] = sample.sentAtMs
      endAtMs[count++] = Math.max(sample.sentAtMs, endedAtMs(sample) ?? untilMs)
    }
  }
  return { startAtMs: startAtMs.subarray(0, count), endAtMs: endAtMs.subarray(0, count) }
}

/** The values of a column that exist, in the same order. */
export function existing(column: Float64Array): Float64Array {
  const values = new Float64Array(column.length)
  let count = 0
  for (const value of column) if (!Number.isNaN(value)) values[count++] = value
  return values.subarray(0, count)
}

function latencyColumn(samples: readonly Sample[], metric: (sample: Sample) => number | null): Float64Array {
  const column = new Float64Array(samples.length)
  for (let index = 0; index < samples.length; index++) {
    const sample = samples[index]
    column[index] = sample === undefined || !isOk(sample) ? Number.NaN : (metric(sample) ?? Number.NaN)
  }
  return column
}

// One shard hands its samples over in order of their end; the schedule's order is what correlation is about.
function inOrder(samples: readonly Sample[]): boolean {
  return samples.every(
    (sample, position) => position === 0 || sample.index > (samples[position - 1]?.index ?? 0),
  )
}
