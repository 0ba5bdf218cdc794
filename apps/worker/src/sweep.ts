/** The loop of a run: ask the controller for the next step, measure it, look again. */
import { setTimeout as delay } from 'node:timers/promises'
import { mayMeasureBetween, type NextStep, nextStep } from '@loadcurve/core/load/controller'
import type { FinishedStep, PlannedStep } from '@loadcurve/core/load/step-level'
import type { StepSummary } from '@loadcurve/core/metrics/step-summary'
import type { Plan } from '@loadcurve/core/plan/schema'
import { ATTEMPTS_MAX, finishedSteps, measuredResidences } from '@loadcurve/core/run/history'
import { guessResidenceMs, stepLength } from '@loadcurve/core/run/step-length'
import { appendEvent } from '@loadcurve/store/events'
import type { StoredRun } from '@loadcurve/store/runs'
import { finishStep, listSteps, nextAttempt, type StepKey, type StoredStep } from '@loadcurve/store/steps'
import { connectedLoadProcesses } from '@loadcurve/store/workers'
import { type AnswerParts, outlook, predictedLoad } from './answer.ts'
import { BatchDial } from './batch-dial.ts'
import { type Conductor, RunFailure } from './conductor.ts'
import { untilDrained } from './drained.ts'
import { giveUpStep, measureStep, place, StepFailure } from './measure-step.ts'
import type { StoredPreflight } from './run-preflight.ts'
import { spentSoFar } from './spending.ts'
import { shardsFor, stepOrder } from './step-order.ts'
import { summariseRecords } from './step-results.ts'
import { StepWatcher } from './step-watcher.ts'
import { TargetMetricsWatch } from './target-metrics.ts'

/**
 * Measures every step that the plan asks for.
 *
 * @returns why it ended: the controller's reason, `error-rate`, or the budget that a step ran into
 */
export async function sweep(
  conductor: Conductor,
  run: StoredRun,
  preflight: StoredPreflight,
): Promise<string> {
  const { lease, signal } = conductor
  const { plan } = run
  const parts = { conductor, run, preflight }
  const dial = new BatchDial(conductor, plan)
  try {
    for (;;) {
      signal.throwIfAborted()
      const attempts = await listSteps(lease.db, run.id)
      const stopped = stoppedBy(plan, attempts)
      if (stopped !== null) return stopped
      const finished = finishedSteps(attempts)
      const next = await nextPlanned(parts, { attempts, finished })
      if (next.kind === 'done') return next.reason
      await dial.set(next.level.batch)
      await measureOnce(parts, { planned: next, step: finished.length, attempts })
    }
  } finally {
    await dial.close()
  }
}

// An answer takes seconds, so it is looked for only when the controller would otherwise be done.
async function nextPlanned(
  parts: AnswerParts,
  { attempts, finished }: { attempts: readonly StoredStep[]; finished: readonly FinishedStep[] },
): Promise<NextStep> {
  const { plan } = parts.run
  const next = nextStep({ plan, finished })
  if (next.kind !== 'done' || next.reason !== 'sweep-complete') return next
  const isVerified = finished.some(({ purpose }) => purpose === 'verify')
  if (isVerified || (!plan.sweep.verify && plan.sweep.furtherLevels === 0)) return next
  const { wanted, promise } = await outlook(parts, {
    attempts,
    mayMeasure: (concurrency) => mayMeasureBetween(plan, finished, concurrency),
  })
  return nextStep({ plan, finished, wanted: () => wanted, promise: () => promise })
}

async function measureOnce(
  parts: AnswerParts,
  { planned, step, attempts }: { planned: PlannedStep; step: number; attempts: readonly StoredStep[] },
): Promise<void> {
  const { conductor, run } = parts
  const { lease } = conductor
  const key = { runId: run.id, step, attempt: await nextAttempt(lease.db, run.id, step) }
  const assignment = await assign(parts, { key, planned, attempts })
  const metrics = new TargetMetricsWatch(conductor, run.plan)
  const watcher = new StepWatcher(conductor, {
    ...{ plan: run.plan, key, level: planned.level, length: assignment.length },
    spent: await spentSoFar(lease.db, run.plan, attempts),
  })
  try {
    const measured = await measureStep(
      { ...conductor, watch: (progress) => watcher.see(progress) },
      assignment,
    )
    const readings = await metrics.store(key, measured.startAt)
    const summary = summariseRecords({
      plan: run.plan,
      preflight: parts.preflight,
      planned,
      records: measured.records,
      readings,
    })
    if (run.plan.sweep.step.extend && isWorthRepeating(summary, key, attempts)) {
      throw new StepFailure('generator-unhealthy', summary.generator.reasons.join(', '))
    }
    const [excluded = null] = summary.refusals
    const predicted = planned.purpose === 'verify' ? await predictedLoad(parts) : null
    await finishStep(lease.db, key, { summary, predicted, excluded })
    await appendEvent(lease.db, run.id, 'step-finished', { ...place(key), ...planned, summary })
    conductor.log.info({ ...place(key), ...planned.level, excluded }, 'step finished')
  } catch (error) {
    if (!(error instanceof StepFailure)) throw error
    conductor.log.warn({ ...place(key), code: error.code, message: error.message }, 'step failed')
    await repeatLater(conductor, key, error)
  } finally {
    metrics.stop()
  }
}

/** A queue that is away comes back: the attempt counts as interrupted and not as failed, and the next one waits. */
const QUEUE_WAIT_MS = 5_000

async function repeatLater({ lease, signal }: Conductor, key: StepKey, failure: StepFailure): Promise<void> {
  const { code: reason, message } = failure
  const isQueueAway = reason === 'queue-unavailable'
  await giveUpStep(lease.db, key, { state: isQueueAway ? 'abandoned' : 'failed', reason, message })
  await untilDrained(lease.db, key)
  if (!isQueueAway) return
  if (key.attempt >= ATTEMPTS_MAX) throw new RunFailure(reason, message)
  await delay(QUEUE_WAIT_MS, undefined, { signal })
}

async function assign(
  { conductor, run, preflight }: AnswerParts,
  { key, planned, attempts }: { key: StepKey; planned: PlannedStep; attempts: readonly StoredStep[] },
) {
  const { plan } = run
  const { level, purpose } = planned
  const shardsCount = shardsFor(level, await loadProcessesThere(conductor, key))
  const length = stepLength({
    rules: plan.sweep.step,
    level,
    residenceMs: guessResidenceMs({
      level,
      measured: measuredResidences(attempts),
      zeroLoadMs: preflight.residenceMs,
    }),
    remainingMs: remainingMs(plan, attempts),
  })
  const { config } = conductor.context
  const order = stepOrder({
    ...{ plan, level, length, step: key.step, shards: shardsCount },
    promptCalibration: preflight.report.calibration,
    continuousUsage: preflight.report.continuousUsage,
    policy: { allowList: config.targets ?? '', ownEndpoints: config.ownEndpoints },
  })
  return { key, planned: { level, purpose }, shardsCount, order, length }
}

/** So often in a run is a step repeated because the load generator was disturbed: on a busy machine it always is. */
const REPEATS_MAX = 3

// The server is not to blame, and the next attempt is likely to be undisturbed. Whatever the second one brings is kept.
// (A plan that does not want its steps extended takes them as they come.)
function isWorthRepeating(summary: StepSummary, key: StepKey, attempts: readonly StoredStep[]): boolean {
  const repeated = attempts.filter(({ reason }) => reason === 'generator-unhealthy').length
  const isOnlyReason = summary.refusals.every((code) => code === 'generator-unhealthy')
  return summary.refusals.length > 0 && isOnlyReason && key.attempt === 1 && repeated < REPEATS_MAX
}

const WORKERS_WAIT_MAX_MS = 60_000
const WORKERS_POLL_MS = 1_000

/** How many load processes are connected; waits for the first one, says that it does, and gives up after a minute. */
async function loadProcessesThere({ lease, signal }: Conductor, { runId }: StepKey): Promise<number> {
  const deadlineAtMs = performance.now() + WORKERS_WAIT_MAX_MS
  for (let looks = 0; ; looks++) {
    const loadProcesses = await connectedLoadProcesses(lease.db)
    if (loadProcesses > 0) return loadProcesses
    if (looks === 0) await appendEvent(lease.db, runId, 'no-worker-connected', { loadProcesses })
    if (performance.now() > deadlineAtMs) {
      throw new RunFailure(
        'load-processes-missing',
        'no connected worker runs load processes (LOADCURVE_LOAD_PROCESSES)',
      )
    }
    await delay(WORKERS_POLL_MS, undefined, { signal })
  }
}

function remainingMs(plan: Plan, attempts: readonly StoredStep[]): number {
  const spentS = finishedSteps(attempts).reduce((sum, { durationS }) => sum + durationS, 0)
  return (plan.limits.maxDurationS - spentS) * 1000
}

const STOPPING_FAILURES: Readonly<Record<string, string>> = {
  'error-fraction': 'error-rate',
  'budget-requests': 'budget-requests',
  'budget-output-tokens': 'budget-output-tokens',
}

/**
 * Why no further step may be measured, or null. Overload makes errors, and errors make the other latencies look good:
 * going on would only measure that.
 */
function stoppedBy({ limits }: Plan, attempts: readonly StoredStep[]): string | null {
  for (const { state, reason, summary } of attempts) {
    if (state === 'failed' && reason !== null && reason in STOPPING_FAILURES)
      return STOPPING_FAILURES[reason] ?? null
    if (summary === null || summary.requests.scheduled === 0) continue
    if (summary.requests.failed / summary.requests.scheduled > limits.maxErrorFraction) return 'error-rate'
  }
  return null
}
