/** The answer of a run: computed in a thread of its own, stored, and completed by the verify step. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Recommendation } from '@loadcurve/core/capacity/recommendation'
import type { RunFacts } from '@loadcurve/core/run/run-question'
import { type Promised, promiseOf, withVerification } from '@loadcurve/core/run/verification'
import { appendEvent } from '@loadcurve/store/events'
import { getRecommendation, saveRecommendation } from '@loadcurve/store/recommendations'
import type { StoredRun } from '@loadcurve/store/runs'
import { listSteps, type StoredStep } from '@loadcurve/store/steps'
import type { Conductor } from './conductor.ts'
import type { StoredPreflight } from './run-preflight.ts'

/** Answering takes seconds; a fit that never ends must not hold the fleet. */
const ANSWER_MAX_MS = 300_000

export interface AnswerParts {
  readonly conductor: Conductor
  readonly run: StoredRun
  readonly preflight: StoredPreflight
}

/** What the steps so far lead to. */
export interface Outlook {
  /** Concurrency of a level that is missing between them; null: none, or none may be added. */
  readonly wanted: number | null
  /** The load for the verify step; null when nothing is promised. */
  readonly promise: Promised | null
}

/**
 * The answer of the steps so far, as far as it decides what is measured next. It is stored unless a level is missing:
 * with that one measured, the answer will be another.
 */
export async function outlook(
  parts: AnswerParts,
  steps: { readonly attempts: readonly StoredStep[]; readonly mayMeasure: (concurrency: number) => boolean },
): Promise<Outlook> {
  const { conductor, run } = parts
  const stored = await getRecommendation(conductor.lease.db, run.id)
  const recommendation = stored ?? (await computed(parts, steps.attempts))
  const wanted = stored === null ? (recommendation.batch.levelWanted?.concurrency ?? null) : null
  if (wanted !== null && steps.mayMeasure(wanted)) return { wanted, promise: null }
  if (stored === null) await saveRecommendation(conductor.lease.db, run.id, recommendation)
  return { wanted: null, promise: promiseOf(recommendation, run.plan.sweep.batch.control) }
}

/** The latencies that were predicted for the load that the verify step tries. */
export async function predictedLoad({ conductor, run }: AnswerParts): Promise<unknown> {
  const recommendation = await getRecommendation(conductor.lease.db, run.id)
  return recommendation?.openLoop?.predicted ?? null
}

/** Answers a run whose sweep is over, and says so. */
export async function concludeRun(parts: AnswerParts): Promise<void> {
  const { conductor, run } = parts
  const attempts = await listSteps(conductor.lease.db, run.id)
  const recommendation = withVerification(await answered(parts, attempts), attempts)
  await saveRecommendation(conductor.lease.db, run.id, recommendation)
  const { verdict, reasons, batch, openLoop } = recommendation
  await appendEvent(conductor.lease.db, run.id, 'recommendation', { verdict, reasons, batch, openLoop })
}

// The verify step does not enter the fit, so what was answered before it still holds after it.
async function answered(parts: AnswerParts, attempts: readonly StoredStep[]): Promise<Recommendation> {
  const { conductor, run } = parts
  const stored = await getRecommendation(conductor.lease.db, run.id)
  if (stored !== null) return stored
  const recommendation = await computed(parts, attempts)
  await saveRecommendation(conductor.lease.db, run.id, recommendation)
  return recommendation
}

function computed(
  { conductor, run, preflight }: AnswerParts,
  attempts: readonly StoredStep[],
): Promise<Recommendation> {
  const { probes, fingerprint } = preflight.report
  return inThread(
    { plan: run.plan, attempts, probes, server: fingerprint },
    AbortSignal.any([conductor.signal, AbortSignal.timeout(ANSWER_MAX_MS)]),
  )
}

async function inThread(facts: RunFacts, signal: AbortSignal): Promise<Recommendation> {
  signal.throwIfAborted()
  // A thread starts from JavaScript: from the sources its built twin is started.
  const entry = import.meta.url.endsWith('.js') ? './answer-thread.js' : '../dist/answer-thread.js'
  const thread = new Worker(new URL(entry, import.meta.url), { workerData: facts, execArgv: [] })
  try {
    const [recommendation] = await once(thread, 'message', { signal })
    return recommendation as Recommendation
  } finally {
    await thread.terminate()
  }
}
