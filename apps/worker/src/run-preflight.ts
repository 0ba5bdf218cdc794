/**
 * Before a run: is the target there, and is it what the plan thinks it is? What the preflight finds is stored with the
 * run, so that a conductor that takes over asks nothing twice.
 */
import type { Plan } from '@loadcurve/core/plan/schema'
import { MonotonicClock } from '@loadcurve/loadgen/clock'
import { type PreflightReport, runPreflight } from '@loadcurve/loadgen/preflight/preflight'
import { TargetKeyMissingError, targetKeyVariable } from '@loadcurve/loadgen/step-target'
import { appendEvent } from '@loadcurve/store/events'
import { type StoredRun, savePreflight } from '@loadcurve/store/runs'
import { type Conductor, RunFailure } from './conductor.ts'
import { metricsMapping } from './target-metrics.ts'
import { visitorOptions } from './target-visitor.ts'

export interface StoredPreflight {
  readonly report: PreflightReport
  /** A first guess of the time that one request alone takes, ms. */
  readonly residenceMs: number
}

const clock = new MonotonicClock()

/**
 * The preflight of a run, taken now or read back.
 *
 * @throws RunFailure with the code of the first finding that blocks the run
 */
export async function ensurePreflight(conductor: Conductor, run: StoredRun): Promise<StoredPreflight> {
  if (run.preflight !== null) return run.preflight as StoredPreflight
  const report = await takePreflight(conductor, run.plan)
  conductor.signal.throwIfAborted()
  const { findings, ok, fingerprint } = report
  const { db } = conductor.lease
  await appendEvent(db, run.id, 'preflight', { ok, findings, fingerprint })
  const blocking = findings.find((finding) => finding.blocking)
  if (blocking !== undefined) {
    throw new RunFailure(blocking.code, [blocking.message, blocking.whatToDo ?? ''].join(' ').trim())
  }
  const preflight = { report, residenceMs: guessedResidenceMs(report, run.plan) }
  await savePreflight(db, run.id, { preflight, fingerprintHash: fingerprint?.hash ?? null })
  return preflight
}

function takePreflight({ context, signal }: Conductor, plan: Plan): Promise<PreflightReport> {
  const { target, workload } = plan
  const { apiKeyRef } = target
  const { apiKey, ...access } = visitorOptions(context, plan)
  if (apiKeyRef !== null && apiKey === null) {
    const { code, message } = new TargetKeyMissingError(targetKeyVariable(apiKeyRef))
    throw new RunFailure(code, message)
  }
  return runPreflight({
    target: {
      ...access,
      apiKey,
      endpoint: target.endpoint,
      deadlines: target.deadlines,
      nowMs: () => clock.nowMs(),
    },
    model: target.model,
    stream: target.stream,
    ignoreEos: workload.ignoreEos,
    extraBody: target.extraBody,
    tokenizeUrl: target.tokenizeUrl,
    metricsUrl: target.metricsUrl,
    metricsMapping: metricsMapping(plan),
    probeInputTokens: probeLengths(workload.inputTokens.mean),
    signal,
  })
}

// Around the workload's own length, so that the cost of prefill is known where it is used.
function probeLengths(meanTokens: number): number[] {
  return [0.5, 1, 1.5].map((factor) => Math.max(8, Math.round(factor * meanTokens)))
}

/** Assumed time per output token where nothing is known yet: the look into the first step corrects it. */
const ASSUMED_TPOT_MS = 10

function guessedResidenceMs({ probes }: PreflightReport, { workload }: Plan): number {
  const ttftMs = Math.max(1, ...probes.map((probe) => probe.ttftMs))
  return ttftMs + workload.outputTokens.mean * ASSUMED_TPOT_MS
}
