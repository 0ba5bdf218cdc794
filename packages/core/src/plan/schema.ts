/**
 * The plan: what to test, against which target, for which promise and demand. One TypeBox schema is the validation,
 * the types, the OpenAPI description and the dashboard's form.
 *
 * `PlanInput` is what a person writes (only `name`, `target.baseUrl` and `target.model` are required); `Plan` is what
 * `resolve` makes of it: everything filled, null where there is none. A `Plan` is a valid `PlanInput`.
 */

import type { Static } from 'typebox'
import { Type } from 'typebox'
import {
  DemandInputSchema,
  DemandSchema,
  HardwareInputSchema,
  HardwareSchema,
  SloSchema,
} from './demand-schema.ts'
import { filled, written } from './schema-builder.ts'
import { SweepInputSchema, SweepSchema } from './sweep-schema.ts'
import { TargetInputSchema, TargetSchema } from './target-schema.ts'
import { WorkloadInputSchema, WorkloadSchema } from './workload-schema.ts'

export const OBJECTIVES = ['latency', 'goodput', 'tokens-per-hour'] as const

const limitFields = {
  maxRequests: Type.Integer({
    minimum: 1,
    maximum: 1e9,
    default: 50_000,
    description: 'The run stops after this many requests',
  }),
  maxOutputTokens: Type.Integer({
    minimum: 1,
    maximum: 1e12,
    default: 10_000_000,
    description: 'The run stops after this many output tokens',
  }),
  maxDurationS: Type.Number({
    exclusiveMinimum: 0,
    maximum: 604_800,
    default: 7_200,
    description: 'The run stops after this time, s',
  }),
  maxErrorFraction: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 0.05,
    description: 'The run stops when a larger fraction of a step’s requests failed',
  }),
}

const ownFields = {
  name: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'Name for people',
    examples: ['llama-3.1-8b on one H100'],
  }),
  slo: SloSchema,
  objective: Type.Enum(OBJECTIVES, {
    description: 'What to get the most of under the SLO; left out: the profile’s',
  }),
  seed: Type.Integer({
    minimum: 0,
    maximum: 2 ** 53 - 1,
    default: 1,
    description: 'Seed of arrivals, lengths, prompts, the order of steps, and the bootstrap',
  }),
}

export const PlanInputSchema = written(
  {
    name: ownFields.name,
    target: TargetInputSchema,
    workload: WorkloadInputSchema,
    sweep: SweepInputSchema,
    slo: ownFields.slo,
    objective: ownFields.objective,
    demand: DemandInputSchema,
    hardware: HardwareInputSchema,
    limits: written(limitFields, [], { default: {}, description: 'Budgets that stop a run' }),
    seed: ownFields.seed,
  },
  ['name', 'target'],
  { description: 'A test plan' },
)

export const PlanSchema = filled(
  {
    name: ownFields.name,
    target: TargetSchema,
    workload: WorkloadSchema,
    sweep: SweepSchema,
    slo: ownFields.slo,
    objective: ownFields.objective,
    demand: DemandSchema,
    hardware: HardwareSchema,
    limits: filled(limitFields, 'Budgets that stop a run'),
    seed: ownFields.seed,
  },
  'A resolved test plan',
)

/** A plan as a person writes it. */
export type PlanInput = Static<typeof PlanInputSchema>
/** A resolved plan: everything filled. */
export type Plan = Static<typeof PlanSchema>
export type PlanTarget = Plan['target']
export type PlanWorkload = Plan['workload']
export type PlanSweep = Plan['sweep']
export type PlanLength = PlanWorkload['inputTokens']
export type PlanDemand = NonNullable<Plan['demand']>
export type PlanHardware = NonNullable<Plan['hardware']>
export type PlanLimits = Plan['limits']
export type Objective = Plan['objective']
