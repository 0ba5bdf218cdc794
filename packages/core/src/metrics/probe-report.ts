/**
 * What `loadcurve probe --json` prints: a step's summary in the contract's shape. A percentile that n is too small for
 * is null and named in `tooFew`, so that nobody reads a number that looks surer than it is.
 */
import type { ShownPercentile } from './percentile.ts'
import type { CalibrationReadings, Outcome } from './sample.ts'
import type { LatencyStatistics, StepSummary } from './step-summary.ts'

export interface ProbeLatency {
  readonly n: number
  readonly mean: number | null
  readonly p50: number | null
  readonly p90: number | null
  readonly p95: number | null
  readonly p99: number | null
  /** Percentiles left out because n is too small for them. */
  readonly tooFew: readonly ShownPercentile[]
}

export interface ProbeReport {
  readonly schemaVersion: 1
  readonly requests: {
    readonly scheduled: number
    readonly ok: number
    readonly failed: number
    readonly byOutcome: Readonly<Record<Outcome, number>>
  }
  readonly windowS: number
  readonly concurrency: {
    readonly nominal: number | null
    readonly achieved: number | null
    readonly decodeBatch: number | null
  }
  readonly requestsPerS: number | null
  readonly outputTokensPerS: number | null
  readonly inputTokensPerS: number | null
  readonly outputTokensSource: StepSummary['outputTokens']['source']
  readonly ttftMs: ProbeLatency
  readonly ttftScheduledMs: ProbeLatency
  readonly tpotMs: ProbeLatency
  readonly gapMs: ProbeLatency
  readonly e2eMs: ProbeLatency
  readonly firstVisibleTokenMs: ProbeLatency
  /** Null when no JSON was expected. */
  readonly validJsonMs: ProbeLatency | null
  /** Null when the server's metrics were not read. Its histogram gives a mean only. */
  readonly serverQueueMs: ProbeLatency | null
  readonly goodput: { readonly fraction: number | null; readonly perS: number | null }
  readonly littlesLaw: { readonly ratio: number | null; readonly holds: boolean | null }
  readonly fingerprint: Readonly<Record<string, unknown>> | null
  readonly generator: {
    readonly healthy: boolean
    readonly reasons: readonly string[]
    readonly cpuUsPerEvent: number | null
    readonly eventLoopDelayP99Ms: number | null
    readonly dispatchSkewP99Ms: number | null
    readonly receiveLagP99Ms: number | null
    readonly lagLimitMs: number
    readonly calibration: CalibrationReadings | null
  }
  readonly errors: StepSummary['errors']
  readonly refusals: readonly string[]
  readonly caveats: readonly string[]
}

export function probeReport(summary: StepSummary): ProbeReport {
  const { requests, concurrency, latency, littlesLaw } = summary
  return {
    schemaVersion: 1,
    requests: {
      scheduled: requests.scheduled,
      ok: requests.ok,
      failed: requests.failed,
      byOutcome: requests.byOutcome,
    },
    windowS: summary.windowS,
    concurrency: {
      nominal: concurrency.nominal,
      achieved: concurrency.achieved,
      decodeBatch: concurrency.decodeBatch,
    },
    requestsPerS: summary.requestsPerS,
    outputTokensPerS: summary.outputTokensPerS,
    inputTokensPerS: summary.inputTokensPerS,
    outputTokensSource: summary.outputTokens.source,
    ttftMs: probeLatency(latency.ttft),
    ttftScheduledMs: probeLatency(latency.ttftScheduled),
    tpotMs: probeLatency(latency.tpot),
    gapMs: probeLatency(latency.gap),
    e2eMs: probeLatency(latency.e2e),
    firstVisibleTokenMs: probeLatency(latency.firstVisibleToken),
    validJsonMs: latency.validJson.n === 0 ? null : probeLatency(latency.validJson),
    serverQueueMs: serverQueue(summary),
    goodput: { fraction: summary.goodput.fraction, perS: summary.goodput.perS },
    littlesLaw: { ratio: littlesLaw.ratio, holds: littlesLaw.holds },
    fingerprint: summary.fingerprint,
    generator: generatorReport(summary.generator),
    errors: summary.errors,
    refusals: summary.refusals,
    caveats: summary.caveats,
  }
}

function probeLatency(statistics: LatencyStatistics): ProbeLatency {
  const shown = (name: ShownPercentile) => (statistics.tooFew.includes(name) ? null : statistics[name])
  return {
    n: statistics.n,
    mean: statistics.mean,
    p50: shown('p50'),
    p90: shown('p90'),
    p95: shown('p95'),
    p99: shown('p99'),
    tooFew: statistics.tooFew,
  }
}

function serverQueue({ server }: StepSummary): ProbeLatency | null {
  if (server?.queueTimeMeanMs == null) return null
  const none = { p50: null, p90: null, p95: null, p99: null, tooFew: [] }
  return { n: server.queueTimeCount ?? 0, mean: server.queueTimeMeanMs, ...none }
}

function generatorReport({
  healthy,
  reasons,
  lagLimitMs,
  readings,
}: StepSummary['generator']): ProbeReport['generator'] {
  return {
    healthy,
    reasons,
    cpuUsPerEvent: readings?.cpuUsPerEvent ?? null,
    eventLoopDelayP99Ms: readings?.eventLoopDelayP99Ms ?? null,
    dispatchSkewP99Ms: readings?.dispatchSkewP99Ms ?? null,
    receiveLagP99Ms: readings?.receiveLagP99Ms ?? null,
    lagLimitMs,
    calibration: readings?.calibration ?? null,
  }
}
