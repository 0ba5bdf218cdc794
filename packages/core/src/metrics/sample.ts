/**
 * What one request left behind: the record that a load process writes, that the store keeps, and that every metric
 * is derived from. Instants are milliseconds on one monotonic clock, counted from the start of the step
 * (they may be negative: warm-up). METRICS.md defines each of them.
 */

export const OUTCOMES = [
  'ok',
  'http_error',
  'in_band_error',
  'truncated',
  'timeout',
  'connection_error',
  'empty',
  'length_cut',
  'content_filter',
  'invalid_json',
  'cancelled',
  'dropped',
] as const
/** How a request ended. HTTP 200 alone is not `ok`. */
export type Outcome = (typeof OUTCOMES)[number]

/** Where a token count came from. Chunk counts are never presented as tokens. */
export type TokenSource = 'usage' | 'tokenizer' | 'unknown'

export interface Sample {
  /** Order in the step's schedule; unique within (run, step, attempt). */
  readonly index: number
  /** `window`: started inside the window and is measured. The others only keep the server busy. */
  readonly phase: 'warmup' | 'window' | 'tail'
  readonly outcome: Outcome
  readonly httpStatus: number | null
  /** Stable code of what went wrong (`connect_timeout`, `rate_limited`, ...), null when ok. */
  readonly errorCode: string | null
  /** First 200 characters of the server's own words, redacted. */
  readonly errorText: string | null
  /** Connections that died before the first byte and were tried again. */
  readonly retries: number

  readonly scheduledAtMs: number
  /** Null when it was dropped. */
  readonly dispatchedAtMs: number | null
  readonly sentAtMs: number | null
  readonly firstByteAtMs: number | null
  /** First event with non-empty content, reasoning, tool-call text or completions text. */
  readonly firstContentAtMs: number | null
  /** First such event that is not reasoning. */
  readonly firstVisibleAtMs: number | null
  readonly lastContentAtMs: number | null
  readonly validJsonAtMs: number | null
  readonly closedAtMs: number | null

  readonly inputTokensAsked: number
  readonly outputTokensAsked: number
  readonly inputTokens: number | null
  readonly inputTokensSource: TokenSource
  /** Reasoning tokens are inside. All sequences of the request together. */
  readonly outputTokens: number | null
  readonly outputTokensSource: TokenSource
  readonly reasoningTokens: number | null
  readonly cachedInputTokens: number | null
  /** Tokens in the first content event; null when the server does not tell (then 1 is assumed, and flagged). */
  readonly firstEventTokens: number | null
  readonly contentEvents: number
  /** Content events received while the window was open: the share of the output tokens that counts for tokens/s. */
  readonly contentEventsInWindow: number
  /** Sequences asked for in this one request (`n`, or prompts of a completions call). */
  readonly sequences: number
  readonly finishReason: string | null
}

/** Raw readings of the load process during the window. `metrics/generator-health` judges them. */
export interface GeneratorReadings {
  readonly eventLoopDelayP99Ms: number
  /** p99 of `sent` minus `scheduled` (open loop) or minus `dispatched` (closed loop). */
  readonly dispatchSkewP99Ms: number
  /** p99 of the lag between a chunk being readable and its stamp, as far as the process can see it. */
  readonly receiveLagP99Ms: number | null
  readonly parseQueuePeakBytes: number
  readonly cpuFraction: number
  readonly cpuUsPerEvent: number | null
  readonly droppedArrivals: number
  readonly connectionsOpened: number
  readonly retries: number
  /** TTFT bias against a known answer, measured by this very process before the step; null when not run. */
  readonly calibration: CalibrationReadings | null
}

export interface CalibrationReadings {
  readonly streams: number
  readonly events: number
  /** Client stamp minus server write stamp, ms. */
  readonly lagP50Ms: number
  readonly lagP95Ms: number
  readonly lagP99Ms: number
  readonly ttftBiasMs: number
}

/** Everything that one load process hands back for its part of a step. Mergeable with the other shards' records. */
export interface ShardRecord {
  readonly schemaVersion: 1
  readonly shard: number
  /** The window [t0, t1), ms from the start of the step. */
  readonly windowStartMs: number
  readonly windowEndMs: number
  readonly samples: readonly Sample[]
  /** hdr-histogram (compressed, base64) of gaps between content events of measured requests, integer microseconds. */
  readonly gapHistogram: string
  /** True when `continuous_usage_stats` let gaps be divided by tokens (ITL); false: inter-chunk gaps. */
  readonly gapsAreTokenGaps: boolean
  /** Content events per bin of `binMs` from the start of the window: throughput over time. */
  readonly contentEventBins: { readonly binMs: number; readonly counts: readonly number[] }
  readonly readings: GeneratorReadings
}

/** One reading of the target's own metrics, taken outside the hot path. Unknown is null. */
export interface TargetReading {
  readonly atMs: number
  readonly running: number | null
  readonly waiting: number | null
  readonly kvUsageFraction: number | null
  /** Cumulative counters and sums as the server reports them. */
  readonly queueTimeSumS: number | null
  readonly queueTimeCount: number | null
  readonly preemptionsTotal: number | null
  readonly prefixCacheHitsTotal: number | null
  readonly prefixCacheQueriesTotal: number | null
}
