/**
 * One measured level, as the fit sees it. Both doors lead here: a table that somebody brings, and the step summaries
 * of a run. Everything unknown is null; nothing is guessed on the way in.
 */

/** Statistics of one latency metric over the requests of a level, ms. Null: the source does not say. */
export interface LatencyColumn {
  readonly mean: number | null
  readonly p50: number | null
  readonly p90: number | null
  readonly p95: number | null
  readonly p99: number | null
}

/** What the server itself said during the level (scraped), means over the window. */
export interface ServerReadings {
  readonly running: number | null
  readonly waiting: number | null
  readonly kvUsageFraction: number | null
  readonly preemptions: number | null
  readonly prefixCacheHitFraction: number | null
}

/** Relative standard errors of the level's means, from batch means; null where the source gives only one figure. */
export interface LevelErrors {
  readonly requestsPerS: number | null
  readonly ttft: number | null
  readonly tpot: number | null
}

export interface Level {
  /** Name for people: the line of a table, the step of a run. */
  readonly label: string
  readonly kind: 'closed-loop' | 'open-loop'
  /** Nominal concurrency N (closed loop), else null. */
  readonly concurrency: number | null
  /** Offered arrival rate lambda, 1/s (open loop), else null. */
  readonly ratePerS: number | null
  /** Sweep-line mean of requests in flight, when it was measured. */
  readonly achievedConcurrency: number | null
  readonly requestsPerS: number | null
  readonly outputTokensPerS: number | null
  /** Mean tokens of a request at this level. */
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  /** Completed requests behind the figures, when known. */
  readonly requests: number | null
  /** Fraction of the requests that were ok, when known. */
  readonly okFraction: number | null
  readonly thinkTimeS: number
  readonly ttftMs: LatencyColumn
  readonly tpotMs: LatencyColumn
  readonly gapMs: LatencyColumn
  readonly e2eMs: LatencyColumn
  /** The server's batch limit (`max_num_seqs`) at this level, when the plan set it. */
  readonly batchLimit: number | null
  readonly server: ServerReadings | null
  readonly errors: LevelErrors | null
  /** A gate that the level failed before it came here (`generator-unhealthy`, ...); excluded and named, never fitted. */
  readonly excluded: string | null
}
