/**
 * Samples turned into columns. Everything after this works on typed arrays, since a step may hold a million samples
 * and an object per value would cost more than the statistics.
 */
import type { Intervals, Window } from './concurrency.ts'
import type { RequestMetric } from './request.ts'
import { endedAtMs, isOk, REQUEST_METRICS } from './request.ts'
import type { Sample, ShardRecord } from './sample.ts'

/** The measured requests (those that started inside the window), in the order of the schedule. */
export interface MeasuredColumns {
  readonly count: number
  readonly ok: Uint8Array
  /** Failed, by the server's fault or the load's bound; requests that we cancelled are neither ok nor failed. */
  readonly failed: Uint8Array
  readonly latency: Readonly<Record<RequestMetric, LatencyColumn>>
}

/** One latency of the successful requests, ms. */
export interface LatencyColumn {
  /** One place a request; NaN: it has no such value. */
  readonly perRequest: Float64Array
  /** The values that exist, in the order of the schedule. */
  readonly values: Float64Array
  /** The same, ascending. */
  readonly sorted: Float64Array
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
  let indexMax = 0
  for (const shard of shards) {
    for (const sample of shard.samples) {
      if (sample.phase !== 'window') continue
      measured.push(sample)
      indexMax = Math.max(indexMax, sample.index)
    }
  }
  return indexMax < SPARSE_MAX * measured.length ? placed(measured) : sortedByIndex(measured)
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
  return { count, ok, failed, latency: latencyColumns(samples) }
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

function latencyColumns(samples: readonly Sample[]): MeasuredColumns['latency'] {
  const read = (metric: RequestMetric) => latencyColumn(samples, REQUEST_METRICS[metric])
  const ttft = read('ttft')
  return {
    ttft,
    ttftScheduled: read('ttftScheduled'),
    // Without reasoning both are the same event, and one sorted column serves both.
    firstVisibleToken: samples.every(startsVisibly) ? ttft : read('firstVisibleToken'),
    tpot: read('tpot'),
    e2e: read('e2e'),
    validJson: read('validJson'),
  }
}

const startsVisibly = (sample: Sample): boolean => sample.firstVisibleAtMs === sample.firstContentAtMs

function latencyColumn(samples: readonly Sample[], metric: (sample: Sample) => number | null): LatencyColumn {
  const perRequest = new Float64Array(samples.length)
  let count = 0
  for (let index = 0; index < samples.length; index++) {
    const sample = samples[index]
    const value = sample === undefined || !isOk(sample) ? null : metric(sample)
    perRequest[index] = value ?? Number.NaN
    if (value !== null) count++
  }
  const values = count === samples.length ? perRequest : perRequest.filter((value) => !Number.isNaN(value))
  return { perRequest, values, sorted: values.slice().sort() }
}

/** Indices of a step run on over its shards and phases; far sparser than this they are not placed but sorted. */
const SPARSE_MAX = 4

// Shards hand their samples over in order of their end. Correlation is about the order of the schedule, and placing by
// index is linear where a comparison sort of objects would cost more than all statistics.
function placed(samples: readonly Sample[]): Sample[] {
  const places: (Sample | undefined)[] = new Array(SPARSE_MAX * samples.length)
  for (const sample of samples) {
    if (places[sample.index] !== undefined) return sortedByIndex(samples)
    places[sample.index] = sample
  }
  return places.filter((sample) => sample !== undefined)
}

const sortedByIndex = (samples: readonly Sample[]): Sample[] =>
  samples.toSorted((left, right) => left.index - right.index)
