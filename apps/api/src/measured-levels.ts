/** The levels of a run that its gates let through: what comparisons and trends are made of. */
import type { ComparedRun } from '@loadcurve/core/run/comparison'
import type { Database } from '@loadcurve/store/database'
import type { StoredRun } from '@loadcurve/store/runs'
import { listSteps } from '@loadcurve/store/steps'
import { lastAttempts } from './run-report.ts'

export async function measuredLevels(db: Database, run: StoredRun): Promise<ComparedRun> {
  const usable = lastAttempts(await listSteps(db, run.id)).flatMap(
    ({ level, summary, excluded, purpose }) => {
      const isUsable = summary !== null && excluded === null && summary.refusals.length === 0
      return isUsable ? [{ level, summary, purpose }] : []
    },
  )
  // The anchor is the same level twice; its first measurement stands for it.
  const firstAnchor = usable.find(({ purpose }) => purpose === 'anchor')
  const steps = usable.filter((step) => step.purpose !== 'anchor' || step === firstAnchor)
  return { runId: run.id, fingerprintHash: run.fingerprintHash, steps }
}
