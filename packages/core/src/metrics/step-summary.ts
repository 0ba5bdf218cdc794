/**
 * The shape of one step's metrics: plain JSON, stored as it is. `metrics/definitions` says what each number means;
 * null is unknown, never 0. `metrics/summary` derives it.
 */
import type { StepLevel } from '../load/step-level.ts'
import type { SloVerdict } from '../slo/verdict.ts'
import type { GeneratorVerdict } from './generator-health.ts'
import type { LittlesLaw } from './littles-law.ts'
import type { GeneratorReadings, Outcome, TokenSource } from './sample.ts'
import type { SloMetric } from './slo-metric.ts'
import type { SteadyState } from './steady-state.ts'

/** One latency over the measured, successful requests of a step, ms. */
export interface LatencyStatistics {
  /** Values behind it. */
  readonly n: number
  /** What they are worth as independent values; null when not assessed. */
  readonly effectiveN: number | null
  readonly mean: number | null
  /** Relative standard error of the mean, from batch means; null when the series is too short. */
  readonly relativeError: number | null
  readonly p50: number | null
  readonly p90: number | null
  readonly p95: number | null
  readonly p99: number | null
  readonly max: number | null
  /** Percentiles that n is too small for: show "too few" in their place. */
  readonly tooFew: readonly ('p50' | 'p90' | 'p95' | 'p99')[]
  /** Distribution-free 95 % interval of each percentile; null on a side where n is too small. */
  readonly intervals: Readonly<
    Record<'p50' | 'p90' | 'p95' | 'p99', readonly [number | null, number | null]>
  > | null
  /** The distribution for a chart: quantiles at 0, 0.02, ... 1, ms; empty when n is 0. */
  readonly quantiles: readonly number[]
}

/** Achieved lengths beside those asked for, tokens, means over successful measured requests. */
export interface LengthControl {
  readonly asked: number | null
  readonly achieved: number | null
  /** achieved / asked - 1. */
  readonly differenceFraction: number | null
  readonly source: TokenSource | 'mixed'
}

export interface ErrorExample {
  readonly outcome: Outcome
  readonly code: string | null
  readonly text: string | null
  readonly count: number
}

/** What the server said about itself during the window, from its scraped metrics. */
export interface ServerSummary {
  readonly readings: number
  readonly runningMean: number | null
  readonly runningMax: number | null
  readonly waitingMean: number | null
  readonly kvUsageMeanFraction: number | null
  readonly kvUsageMaxFraction: number | null
  readonly preemptions: number | null
  readonly cacheHitFraction: number | null
  readonly queueTimeMeanMs: number | null
  readonly queueTimeCount: number | null
}

export interface StepSummary {
  readonly schemaVersion: 1
  readonly definitionsVersion: number
  readonly level: StepLevel
  /** What `level.batch` is: the server's limit, or prompts per request. */
  readonly batchControl: 'none' | 'server' | 'request'
  readonly loop: 'closed' | 'open'
  readonly thinkTimeS: number
  readonly shards: number
  /** From the start of the load to the opening of the window, ms; and the length of the window, s. */
  readonly windowStartMs: number
  readonly windowS: number
  readonly requests: {
    /** Started (or, dropped, should have started) inside the window. */
    readonly scheduled: number
    readonly ok: number
    readonly failed: number
    readonly byOutcome: Readonly<Record<Outcome, number>>
    readonly retries: number
    /** Successful completions inside the window, whenever they started. */
    readonly completedInWindow: number
    /** Requests that only kept the server busy, before and after. */
    readonly unmeasured: number
    /** Mean sequences of a request. */
    readonly sequences: number
  }
  /** The most frequent failures, at most five. */
  readonly errors: readonly ErrorExample[]
  readonly requestsPerS: number | null
  readonly outputTokensPerS: number | null
  readonly outputTokensPerSPerGpu: number | null
  readonly inputTokensPerS: number | null
  readonly tokensPerSPerUser: number | null
  /** Everything from the first send to the last end, warm-up and tail included, over its own length. */
  readonly wholeRun: {
    readonly durationS: number
    readonly requests: number
    readonly outputTokensPerS: number | null
  }
  readonly inputTokens: LengthControl
  readonly outputTokens: LengthControl
  readonly reasoningTokensMean: number | null
  /** TPOT values that assume one token in the first event. */
  readonly assumedFirstEventTokens: number
  /** False: gaps are between chunks, not between tokens. */
  readonly gapsAreTokenGaps: boolean
  readonly concurrency: {
    readonly nominal: number | null
    readonly achieved: number | null
    readonly prefill: number | null
    readonly decodeBatch: number | null
  }
  readonly latency: Readonly<Record<SloMetric, LatencyStatistics>>
  readonly ttftInflationMs: number | null
  readonly goodput: { readonly fraction: number | null; readonly perS: number | null; readonly n: number }
  readonly slo: readonly SloVerdict[]
  readonly littlesLaw: LittlesLaw
  readonly steadyState: { readonly throughput: SteadyState; readonly ttft: SteadyState }
  /** Relative standard errors of means, from batch means. */
  readonly relativeErrors: {
    readonly requestsPerS: number | null
    readonly outputTokensPerS: number | null
    readonly ttft: number | null
    readonly tpot: number | null
  }
  /** Content events per bin: throughput over time. */
  readonly series: { readonly binMs: number; readonly contentEvents: readonly number[] }
  readonly server: ServerSummary | null
  readonly cache: {
    readonly hitFraction: number | null
    readonly source: 'usage' | 'server-metrics' | null
    readonly asked: boolean
  }
  readonly generator: GeneratorVerdict & { readonly readings: GeneratorReadings | null }
  readonly fingerprint: Readonly<Record<string, unknown>> | null
  /** Stable codes that keep the step out of a fit. Empty: usable. */
  readonly refusals: readonly string[]
  /** Stable codes worth knowing that refuse nothing. */
  readonly caveats: readonly string[]
}
