/**
 * Plans, runs, steps and schedules as the REST API shows them: the shapes that the API validates its answers against,
 * that OpenAPI describes, and that the dashboard and the command line read.
 */
import { type Static, type TSchema, Type } from 'typebox'
import { STEP_PURPOSES } from '../load/step-level.ts'
import { RUN_STATES, STEP_STATES } from './state.ts'

const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const instant = (description: string) => Type.String({ format: 'date-time', description })
const exact = { additionalProperties: false } as const

/** A page of a list: `nextCursor` is null on the last one. */
export const pageOf = <Schema extends TSchema>(item: Schema) =>
  Type.Object(
    {
      items: Type.Array(item),
      nextCursor: nullable(Type.String({ description: 'Pass it as `cursor` for the next page.' })),
    },
    exact,
  )

export const PlanResource = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    version: Type.Integer({ description: '1 when new; each edit adds one.' }),
    plan: Type.Unknown({ description: 'The plan as it was written.' }),
    createdAt: instant('When it was created.'),
    updatedAt: instant('When it was last edited.'),
  },
  exact,
)
export type PlanResource = Static<typeof PlanResource>

export const RunResource = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    planId: Type.String({ format: 'uuid' }),
    planVersion: Type.Integer(),
    planName: Type.String(),
    plan: Type.Unknown({ description: 'The resolved plan, as it was when the run was asked for.' }),
    origin: Type.Enum(['manual', 'schedule']),
    state: Type.Enum([...RUN_STATES]),
    reason: nullable(Type.String({ description: 'Stable code of why the run ended as it did.' })),
    message: nullable(Type.String()),
    runsAhead: Type.Integer({ description: 'Unfinished runs that come before this one.' }),
    preflight: Type.Unknown({ description: 'What was found before the first step; null until then.' }),
    fingerprintHash: nullable(Type.String({ description: 'Hash of what the target says of itself.' })),
    dueAt: nullable(instant('The instant that a schedule asked for.')),
    cancelRequestedAt: nullable(instant('When somebody asked to cancel it.')),
    createdAt: instant('When it was asked for.'),
    startedAt: nullable(instant('When a worker began it.')),
    finishedAt: nullable(instant('When it was over.')),
  },
  exact,
)
export type RunResource = Static<typeof RunResource>

export const StepResource = Type.Object(
  {
    step: Type.Integer({ description: '0, 1, 2, ... in the order of measuring.' }),
    attempt: Type.Integer({ description: 'Attempts before the last one were abandoned or failed.' }),
    purpose: Type.Enum([...STEP_PURPOSES]),
    level: Type.Object(
      {
        batch: nullable(Type.Integer()),
        concurrency: nullable(Type.Integer()),
        ratePerS: nullable(Type.Number()),
      },
      exact,
    ),
    shardsCount: Type.Integer({ description: 'Load processes that shared it.' }),
    state: Type.Enum([...STEP_STATES]),
    summary: Type.Unknown({ description: 'The step summary (docs/METRICS.md); null until it is finished.' }),
    predicted: Type.Unknown({ description: 'What the fit said of this level before it was measured.' }),
    excluded: nullable(Type.String({ description: 'Code of the gate that keeps it out of the fit.' })),
    reason: nullable(Type.String()),
    message: nullable(Type.String()),
    startAt: nullable(instant('When the load began.')),
    finishedAt: nullable(instant('When it was over.')),
  },
  exact,
)
export type StepResource = Static<typeof StepResource>

export const ScheduleResource = Type.Object(
  {
    planId: Type.String({ format: 'uuid' }),
    cron: Type.String({ examples: ['30 2 * * *'] }),
    timeZone: Type.String({ examples: ['Europe/Berlin'] }),
    enabled: Type.Boolean(),
    nextRuns: Type.Array(instant('An instant at which it will fire.'), {
      description: 'The next five instants, right over changes of daylight saving.',
    }),
    history: Type.Array(
      Type.Object(
        {
          dueAt: instant('When it was due.'),
          outcome: Type.Enum(['fired', 'missed', 'refused']),
          runId: nullable(Type.String({ format: 'uuid' })),
          missedCount: Type.Integer({ description: 'Firings that fell together into this one.' }),
          message: nullable(Type.String()),
        },
        exact,
      ),
    ),
  },
  exact,
)
export type ScheduleResource = Static<typeof ScheduleResource>
