/**
 * Predicted beside measured: the last step of a run tries in open loop what the fit promises, and the answer says how
 * that went. Every figure that was predicted stands next to the one that was measured.
 */
import type {
  BoundedLatency,
  MeasuredLatency,
  OpenLoopAnswer,
  Recommendation,
  Verification,
} from '../capacity/recommendation.ts'
import type { LatencyStatistics, StepSummary } from '../metrics/step-summary.ts'
import type { StepAttempt } from './history.ts'

/** The load that the fit promises; null when it promises none. */
export interface Promised {
  readonly ratePerS: number
  /** The batch limit to verify at, where the plan controls the server's. */
  readonly batch: number | null
}

/** What the recommendation promises, as the verify step tries it. */
export function promiseOf(
  { verdict, batch, openLoop }: Recommendation,
  batchControl: 'none' | 'server' | 'request',
): Promised | null {
  const ratePerS = openLoop?.maxRequestsPerS ?? null
  if (verdict !== 'recommended' || ratePerS === null || !(ratePerS > 0)) return null
  // Prompts per request are no batch limit: a single prompt per request is what was fitted.
  return { ratePerS, batch: batchControl === 'server' ? batch.recommended : null }
}

/** The recommendation with the verify step's measurement in it; unchanged when none was measured. */
export function withVerification(
  recommendation: Recommendation,
  attempts: readonly StepAttempt[],
): Recommendation {
  const { openLoop } = recommendation
  const step = attempts.find(({ purpose, state }) => purpose === 'verify' && state === 'finished')
  if (openLoop === null || step === undefined || step.summary === null) return recommendation
  return { ...recommendation, openLoop: { ...openLoop, verified: verified(step, step.summary, openLoop) } }
}

function verified({ step }: StepAttempt, summary: StepSummary, { predicted }: OpenLoopAnswer): Verification {
  const { latency, slo, refusals, concurrency, requests } = summary
  return {
    step,
    verdict: verdictOf(slo),
    moreRequests: slo.reduce<number | null>(
      (most, { moreRequests }) => (moreRequests === null ? most : Math.max(most ?? 0, moreRequests)),
      null,
    ),
    n: requests.scheduled,
    requestsPerS: summary.level.ratePerS,
    completedPerS: summary.requestsPerS,
    outputTokensPerS: summary.outputTokensPerS,
    decodeBatch: concurrency.decodeBatch,
    ttftMs: beside(latency.ttftScheduled, predicted?.ttftMs ?? null),
    tpotMs: beside(latency.tpot, predicted?.tpotMs ?? null),
    slo,
    refusals,
  }
}

/** Missed when any promise is; met when all are; no promise is met by any server. */
function verdictOf(slo: StepSummary['slo']): 'met' | 'missed' | 'undecided' {
  if (slo.some(({ verdict }) => verdict === 'missed')) return 'missed'
  return slo.every(({ verdict }) => verdict === 'met') ? 'met' : 'undecided'
}

function beside({ n, p50, p95 }: LatencyStatistics, predicted: BoundedLatency | null): MeasuredLatency {
  return { n, p50, p95, predicted }
}
