/** Everything that is wrong with a plan here: what core says of the plan, and what this service's target policy says. */
import type { TargetPolicy } from '@loadcurve/core/plan/target-policy'
import { validatePlan } from '@loadcurve/core/plan/validate'
import type { Violation } from './problem.ts'

export function checkPlan(input: unknown, policy: TargetPolicy): Violation[] {
  return validatePlan(input, policy).violations.map((violation) => ({ ...violation }))
}
