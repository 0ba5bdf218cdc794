/** A finished run in the store: the example of the report's tests, written as a conductor would write it. */
import { randomUUID } from 'node:crypto'
import { resolvePlan } from '@loadcurve/core/plan/resolve'
import type { RunReport } from '@loadcurve/report/run-report'
import type { Database } from '@loadcurve/store/database'
import { appendEvent } from '@loadcurve/store/events'
import { createPlan } from '@loadcurve/store/plans'
import { saveRecommendation } from '@loadcurve/store/recommendations'
import { createRun, endRun, savePreflight, startRun } from '@loadcurve/store/runs'
import { closeStep, finishStep, startStep } from '@loadcurve/store/steps'

export async function finishedRun(
  db: Database,
  report: RunReport,
): Promise<{ planId: string; runId: string }> {
  const plan = await createPlan(db, report.plan)
  const { run } = await createRun(db, {
    planId: plan.id,
    planVersion: 1,
    plan: resolvePlan(report.plan),
    origin: 'manual',
  })
  await startRun(db, run.id)
  await appendEvent(db, run.id, 'run-started', {})
  await savePreflight(db, run.id, { preflight: null, fingerprintHash: 'abc123' })
  for (const { step, purpose, level, summary, predicted, reason, message } of report.steps) {
    const key = { runId: run.id, step, attempt: 1 }
    await startStep(db, { key, holder: randomUUID(), purpose, level, shardsCount: 1, order: {} })
    if (summary !== null) await finishStep(db, key, { summary, predicted, excluded: null })
    else await closeStep(db, key, { state: 'failed', reason: reason ?? 'failed', message: message ?? '' })
  }
  if (report.recommendation !== null) await saveRecommendation(db, run.id, report.recommendation)
  await appendEvent(db, run.id, 'recommendation', {})
  await endRun(db, run.id, { state: 'finished', reason: 'sweep-complete', message: null })
  return { planId: plan.id, runId: run.id }
}
