/** From what a person wrote to a plan with everything filled: the schema's defaults and the profile's presets. */
import { Value } from 'typebox/value'
import { PROFILES } from '../slo/profiles.ts'
import type { Plan, PlanInput } from './schema.ts'
import { PlanInputSchema } from './schema.ts'

const CONCURRENCY_DEFAULT = [1, 2, 4, 8, 16, 32, 64, 128]

/**
 * Fills a valid plan. The input is left as it is, and resolving a resolved plan changes nothing.
 *
 * @param input a plan that `validatePlan` found no fault in; a faulty one gives a plan without meaning
 */
export function resolvePlan(input: PlanInput): Plan {
  const defaulted = Value.Default(PlanInputSchema, Value.Clone(input)) as DefaultedPlan
  const profile = PROFILES[defaulted.workload.profile]
  return {
    ...defaulted,
    workload: {
      ...defaulted.workload,
      inputTokens: withBounds(defaulted.workload.inputTokens ?? profile.inputTokens),
      outputTokens: withBounds(defaulted.workload.outputTokens ?? profile.outputTokens),
      // A server that must not stop writes on past the end of the JSON value.
      ignoreEos: defaulted.workload.ignoreEos ?? !defaulted.workload.expectJson,
      failOn: failedTasks(defaulted),
    },
    sweep: {
      ...defaulted.sweep,
      concurrency: defaulted.sweep.concurrency ?? concurrencyFor(defaulted.sweep),
    },
    slo: defaulted.slo ?? profile.slo.map((target) => ({ ...target })),
    objective: defaulted.objective ?? profile.objective,
  }
}

/** Where defaults do not depend on other fields, the schema's are in place; the rest may still be missing. */
type DefaultedPlan = Omit<Plan, 'workload' | 'sweep' | 'slo' | 'objective'> & {
  workload: Omit<Plan['workload'], 'inputTokens' | 'outputTokens' | 'ignoreEos' | 'failOn'> & {
    inputTokens?: Plan['workload']['inputTokens']
    outputTokens?: Plan['workload']['outputTokens']
    ignoreEos?: boolean
    failOn?: Plan['workload']['failOn']
  }
  sweep: Omit<Plan['sweep'], 'concurrency'> & { concurrency?: number[] }
  slo?: Plan['slo']
  objective?: Plan['objective']
}

type Length = Plan['workload']['inputTokens']

function withBounds(length: { readonly mean: number; readonly stdev: number } & Partial<Length>): Length {
  return { distribution: 'normal', min: null, max: null, ...length }
}

// Who asks for JSON has no use for anything else.
function failedTasks(plan: DefaultedPlan): Plan['workload']['failOn'] {
  return plan.workload.failOn ?? (plan.workload.expectJson ? ['invalid_json'] : [])
}

// Somebody who lists only rates wants no closed loop, and the adaptive search finds its own levels.
function concurrencyFor(sweep: DefaultedPlan['sweep']): number[] {
  return sweep.mode === 'adaptive' || sweep.ratesPerS.length > 0 ? [] : [...CONCURRENCY_DEFAULT]
}
