/** Samples and shard records for tests: a plain successful request, of which a test changes what it is about. */
import { createGapHistogram } from '../../src/metrics/gap-histogram.ts'
import type { GeneratorReadings, Sample, ShardRecord, TargetReading } from '../../src/metrics/sample.ts'
import type { StepFacts } from '../../src/metrics/step-facts.ts'

/** Scheduled and sent at 0, first token at 100 ms, 11 tokens at 10 ms each, closed at 205 ms. */
export function sampleOf(changes: Partial<Sample> = {}): Sample {
  return {
    index: 0,
    phase: 'window',
    outcome: 'ok',
    httpStatus: 200,
    errorCode: null,
    errorText: null,
    retries: 0,
    scheduledAtMs: 0,
    dispatchedAtMs: 0,
    sentAtMs: 0,
    firstByteAtMs: 90,
    firstContentAtMs: 100,
    firstVisibleAtMs: 100,
    lastContentAtMs: 200,
    validJsonAtMs: null,
    closedAtMs: 205,
    inputTokensAsked: 50,
    outputTokensAsked: 11,
    inputTokens: 50,
    inputTokensSource: 'usage',
    outputTokens: 11,
    outputTokensSource: 'usage',
    reasoningTokens: null,
    cachedInputTokens: null,
    firstEventTokens: 1,
    contentEvents: 11,
    contentEventsInWindow: 11,
    sequences: 1,
    finishReason: 'length',
    ...changes,
  }
}

/** The same request with all its instants later by `laterMs`. */
export function sampleAt(laterMs: number, changes: Partial<Sample> = {}): Sample {
  const base = sampleOf()
  const later = (atMs: number | null) => (atMs === null ? null : atMs + laterMs)
  return {
    ...base,
    scheduledAtMs: base.scheduledAtMs + laterMs,
    dispatchedAtMs: later(base.dispatchedAtMs),
    sentAtMs: later(base.sentAtMs),
    firstByteAtMs: later(base.firstByteAtMs),
    firstContentAtMs: later(base.firstContentAtMs),
    firstVisibleAtMs: later(base.firstVisibleAtMs),
    lastContentAtMs: later(base.lastContentAtMs),
    closedAtMs: later(base.closedAtMs),
    ...changes,
  }
}

/** A request that failed before it brought anything. */
export function failedAt(laterMs: number, changes: Partial<Sample> = {}): Sample {
  const nothing = {
    firstContentAtMs: null,
    firstVisibleAtMs: null,
    lastContentAtMs: null,
    outputTokens: null,
  }
  const counts = { outputTokensSource: 'unknown', contentEvents: 0, contentEventsInWindow: 0 } as const
  return sampleAt(laterMs, { outcome: 'http_error', httpStatus: 500, ...nothing, ...counts, ...changes })
}

export const healthyReadings: GeneratorReadings = {
  eventLoopDelayP99Ms: 0.5,
  dispatchSkewP99Ms: 0.1,
  receiveLagP99Ms: 0.2,
  parseQueuePeakBytes: 1_000,
  cpuFraction: 0.2,
  cpuUsPerEvent: 15,
  droppedArrivals: 0,
  connectionsOpened: 1,
  retries: 0,
  calibration: null,
}

export function shardOf(samples: readonly Sample[], changes: Partial<ShardRecord> = {}): ShardRecord {
  return {
    schemaVersion: 1,
    shard: 0,
    windowStartMs: 0,
    windowEndMs: 1_000,
    samples,
    gapHistogram: createGapHistogram().encode(),
    gapsAreTokenGaps: true,
    contentEventBins: { binMs: 100, counts: [] },
    readings: healthyReadings,
    ...changes,
  }
}

export function readingAt(atMs: number, changes: Partial<TargetReading> = {}): TargetReading {
  return {
    atMs,
    running: null,
    waiting: null,
    kvUsageFraction: null,
    queueTimeSumS: null,
    queueTimeCount: null,
    preemptionsTotal: null,
    prefixCacheHitsTotal: null,
    prefixCacheQueriesTotal: null,
    ...changes,
  }
}

export function factsOf(changes: Partial<StepFacts> = {}): StepFacts {
  return {
    level: { batch: null, concurrency: 1, ratePerS: null },
    batchControl: 'none',
    thinkTimeS: 0,
    slo: [],
    lengthsForced: true,
    cacheReuse: false,
    zeroLoadTtftMs: null,
    gpusPerReplica: null,
    fingerprint: null,
    ...changes,
  }
}
