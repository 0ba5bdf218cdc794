/**
 * The door from a measured step to the fit. The fit counts sequences, because a batch is made of sequences: a request
 * with s prompts counts as s requests of its own length.
 */
import type { LatencyColumn, Level, ServerReadings } from '../fit/level.ts'
import type { LatencyStatistics, StepSummary } from './step-summary.ts'

/** @param label name for people: the step of a run */
export function levelOfSummary(summary: StepSummary, label: string): Level {
  const { level, requests, concurrency, latency } = summary
  const { sequences } = requests
  const times = (value: number | null) => (value === null ? null : value * sequences)
  const per = (value: number | null) => (value === null ? null : value / sequences)
  const inOpenLoop = summary.loop === 'open'
  return {
    label,
    kind: inOpenLoop ? 'open-loop' : 'closed-loop',
    concurrency: times(level.concurrency),
    ratePerS: times(level.ratePerS),
    achievedConcurrency: times(concurrency.achieved),
    requestsPerS: times(summary.requestsPerS),
    outputTokensPerS: summary.outputTokensPerS,
    inputTokens: per(summary.inputTokens.achieved),
    outputTokens: per(summary.outputTokens.achieved),
    requests: requests.ok * sequences,
    okFraction: requests.scheduled === 0 ? null : requests.ok / requests.scheduled,
    thinkTimeS: summary.thinkTimeS,
    ttftMs: column(inOpenLoop ? latency.ttftScheduled : latency.ttft),
    tpotMs: column(latency.tpot),
    gapMs: column(latency.gap),
    e2eMs: column(latency.e2e),
    batchLimit: summary.batchControl === 'server' ? level.batch : null,
    server: serverReadings(summary),
    errors: {
      requestsPerS: summary.relativeErrors.requestsPerS,
      ttft: summary.relativeErrors.ttft,
      tpot: summary.relativeErrors.tpot,
    },
    excluded: summary.refusals[0] ?? null,
  }
}

function column({ mean, p50, p90, p95, p99 }: LatencyStatistics): LatencyColumn {
  return { mean, p50, p90, p95, p99 }
}

function serverReadings({ server, cache }: StepSummary): ServerReadings | null {
  if (server === null && cache.hitFraction === null) return null
  return {
    running: server?.runningMean ?? null,
    waiting: server?.waitingMean ?? null,
    kvUsageFraction: server?.kvUsageMeanFraction ?? null,
    preemptions: server?.preemptions ?? null,
    prefixCacheHitFraction: cache.hitFraction,
  }
}
