/** A run that is under way, for ever: what its page shows is told by events, and these stop in the middle of a step. */
import { resolvePlan } from '@loadcurve/core/plan/resolve'
import type { RunReport } from '@loadcurve/report/run-report'
import type { Database } from '@loadcurve/store/database'
import { appendEvent } from '@loadcurve/store/events'
import { createPlan } from '@loadcurve/store/plans'
import { createRun, endRun, startRun } from '@loadcurve/store/runs'

const level = { batch: null, concurrency: 16, ratePerS: null }
const progress = {
  ...{ phase: 'window', atMs: 12_000, windowOpenAtMs: 4000, inFlight: 16, started: 420, ended: 404 },
  ...{ failed: 2, dropped: 0, measuredStarted: 300, measuredEnded: 284, endedPerS: 35.2 },
  ...{ contentEventsPerS: 2250, ttftP50Ms: 81.4, tpotP50Ms: 12.9, generatorLagP99Ms: 0.42 },
}

export async function runningRun(db: Database, report: RunReport): Promise<string> {
  const runId = await begunRun(db, report)
  for (const [step, concurrency] of [1, 4].entries()) {
    const key = { step, attempt: 1 }
    const done = { ...level, concurrency }
    await appendEvent(db, runId, 'step-started', { ...key, purpose: 'grid', level: done })
    await appendEvent(db, runId, 'step-finished', key)
  }
  const key = { step: 2, attempt: 2 }
  await appendEvent(db, runId, 'step-started', { ...key, purpose: 'anchor', level })
  await appendEvent(db, runId, 'step-progress', { ...key, ...progress })
  return runId
}

/** One that failed, with words from outside in its message. */
export async function failedRun(db: Database, report: RunReport): Promise<string> {
  const runId = await begunRun(db, report)
  const message = 'the target answered <img src=x onerror="alert(1)"> 503'
  await endRun(db, runId, { state: 'failed', reason: 'target-unreachable', message })
  await appendEvent(db, runId, 'run-failed', { reason: 'target-unreachable', message })
  return runId
}

async function begunRun(db: Database, report: RunReport): Promise<string> {
  const plan = await createPlan(db, report.plan)
  const { run } = await createRun(db, {
    planId: plan.id,
    planVersion: 1,
    plan: resolvePlan(report.plan),
    origin: 'manual',
  })
  await startRun(db, run.id)
  await appendEvent(db, run.id, 'run-started', {})
  return run.id
}
