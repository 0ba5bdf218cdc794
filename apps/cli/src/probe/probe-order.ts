/** From the options of a probe to the order of its load process. */
import { resolvePlan } from '@loadcurve/core/plan/resolve'
import type { Plan } from '@loadcurve/core/plan/schema'
import type { PreflightReport } from '@loadcurve/loadgen/preflight/preflight'
import type { StepOrder } from '@loadcurve/loadgen/step-order'
import type { ProbeOptions } from './probe-options.ts'

/** Nothing is waited for longer than a request may take. */
const hourMs = 3_600_000
/** Starts are spread over about one answer, but nobody waits longer than this for the load to be there. */
const staggerMaxMs = 5000
const tpotGuessMs = 20

/** The plan that the options amount to. */
export function probePlan(options: ProbeOptions): Plan {
  return resolvePlan({
    name: 'probe',
    target: {
      baseUrl: options.baseUrl,
      model: options.model,
      endpoint: options.endpoint,
      apiKeyRef: options.apiKeyRef,
      metricsUrl: options.metricsUrl,
    },
    workload: {
      inputTokens: { mean: options.inputTokens },
      outputTokens: { mean: options.outputTokens },
      ignoreEos: options.ignoreEos,
      expectJson: options.expectJson,
      thinkTimeS: options.thinkTimeS,
      arrival: { process: options.arrival },
    },
    slo: [...options.slo],
    seed: options.seed,
  })
}

/**
 * The order: the warm-up lasts until every slot has handed over once, or (open loop) until the number in flight has
 * settled; then exactly the asked number of requests is measured.
 */
export function probeOrder(options: ProbeOptions, plan: Plan, preflight: PreflightReport): StepOrder {
  const staggerMs = options.concurrency === null ? 0 : staggerOf(options, preflight)
  return {
    schemaVersion: 1,
    target: { ...plan.target, stream: plan.target.stream && !isWhole(preflight) },
    workload: plan.workload,
    level: { batch: null, concurrency: options.concurrency, ratePerS: options.ratePerS },
    sequencesPerRequest: 1,
    part: { shard: 0, shards: 1 },
    window: {
      warmup: { durationMs: staggerMs, endedMin: warmupEndedMin(options), maxMs: hourMs },
      durationMs: 0,
      requestsMin: options.requests,
      maxMs: 24 * hourMs,
      drainMaxMs: plan.target.deadlines.totalMs,
    },
    staggerMs,
    inFlightMax: plan.sweep.step.inFlightMax,
    seed: options.seed,
    promptCalibration: preflight.calibration,
    continuousUsage: preflight.continuousUsage,
    policy: { allowList: options.allowList, ownEndpoints: [] },
    calibrate: true,
  }
}

function staggerOf({ outputTokens }: ProbeOptions, { probes }: PreflightReport): number {
  const ttftMs = probes[0]?.ttftMs ?? 0
  return Math.min(staggerMaxMs, ttftMs + outputTokens * tpotGuessMs)
}

// In open loop the number in flight settles once the first requests leave while others come.
function warmupEndedMin({ concurrency, requests }: ProbeOptions): number {
  return concurrency ?? Math.max(2, Math.min(50, Math.ceil(requests / 10)))
}

function isWhole({ findings }: PreflightReport): boolean {
  return findings.some(({ code, ok }) => code === 'not-streamed' && !ok)
}
