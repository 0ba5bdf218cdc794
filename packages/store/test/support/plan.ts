import { resolvePlan } from '@loadcurve/core/plan/resolve'
import type { Plan, PlanInput } from '@loadcurve/core/plan/schema'
import type { Database } from '@loadcurve/store/database'
import { createPlan } from '@loadcurve/store/plans'
import { createRun } from '@loadcurve/store/runs'

export const planInput: PlanInput = {
  name: 'a plan',
  target: { baseUrl: 'http://127.0.0.1:9/v1', model: 'm' },
}

export const plan: Plan = resolvePlan(planInput)

export async function newRun(db: Database) {
  const { id } = await createPlan(db, planInput)
  const { run } = await createRun(db, { planId: id, planVersion: 1, plan, origin: 'manual' })
  return run
}
