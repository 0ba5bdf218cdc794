/** Gathers what a report of a run is made of. */
import { DEFINITIONS_VERSION } from '@loadcurve/core/metrics/definitions'
import type { ReportStep, RunReport } from '@loadcurve/report/run-report'
import { getRecommendation } from '@loadcurve/store/recommendations'
import type { StoredRun } from '@loadcurve/store/runs'
import { listSteps, type StoredStep, targetReadings } from '@loadcurve/store/steps'
import type { Api } from './api.ts'
import { runResource } from './routes/runs.ts'
import { stepResource } from './routes/steps.ts'
import { VERSION } from './version.ts'

export async function runReport(app: Api, run: StoredRun): Promise<RunReport> {
  const { db } = app.context
  const steps = lastAttempts(await listSteps(db, run.id))
  return {
    schemaVersion: 1,
    run: await runResource(app, run),
    plan: run.plan,
    steps: await Promise.all(steps.map((step) => reportStep(app, step))),
    recommendation: await getRecommendation(db, run.id),
    definitionsVersion: DEFINITIONS_VERSION,
    environment: { loadcurve: VERSION, node: process.versions.node },
  }
}

async function reportStep(app: Api, step: StoredStep): Promise<ReportStep> {
  return {
    ...stepResource(step),
    summary: step.summary,
    targetReadings: await targetReadings(app.context.db, step),
  }
}

/** Attempts come in order, so the last one of a step is the one that counts. */
export function lastAttempts(steps: readonly StoredStep[]): StoredStep[] {
  return [...new Map(steps.map((step) => [step.step, step])).values()]
}
