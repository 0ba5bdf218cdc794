import type { PlanInput } from '@loadcurve/core/plan/schema'
import { validatePlan } from '@loadcurve/core/plan/validate'

type Parts = { [Key in keyof PlanInput]?: unknown } & { target?: object }

/** `path: code` of every fault of a plan that is otherwise valid. */
export function faultsOf(parts: Parts): string[] {
  const target = { baseUrl: 'http://127.0.0.1:8000/v1', model: 'm', ...parts.target }
  return validatePlan({ name: 'test', ...parts, target }, null).violations.map(
    ({ path, code }) => `${path}: ${code}`,
  )
}
