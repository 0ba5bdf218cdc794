/** What a run measured: its steps with every attempt, and what the target said of itself during one. */
import { StepResource } from '@loadcurve/core/run/resources'
import { listSteps, type StoredStep, targetReadings } from '@loadcurve/store/steps'
import { Type } from 'typebox'
import type { Api } from '../api.ts'
import { IdParams } from '../id-params.ts'
import { failures, notFound } from '../problem.ts'
import { findRun } from './runs.ts'

const tags = ['runs']

export async function stepRoutes(app: Api): Promise<void> {
  app.get(
    '/v1/runs/:id/steps',
    {
      schema: {
        tags,
        summary: 'The steps of a run, with their summaries',
        params: IdParams,
        response: { 200: Type.Object({ items: Type.Array(StepResource) }), ...failures(400, 401, 404) },
      },
    },
    async ({ params }) => {
      const run = await findRun(app, params.id)
      return { items: (await listSteps(app.context.db, run.id)).map(stepResource) }
    },
  )

  app.get(
    '/v1/runs/:id/steps/:step/target-metrics',
    {
      schema: {
        tags,
        summary: "The target's own metrics during a step",
        description: 'Readings of the last attempt; empty when none were scraped.',
        params: Type.Object({ id: Type.String({ format: 'uuid' }), step: Type.Integer({ minimum: 0 }) }),
        response: { 200: Type.Object({ items: Type.Array(Type.Unknown()) }), ...failures(400, 401, 404) },
      },
    },
    async ({ params }) => {
      const run = await findRun(app, params.id)
      const attempts = (await listSteps(app.context.db, run.id)).filter(({ step }) => step === params.step)
      const last = attempts.at(-1)
      if (last === undefined) throw notFound('step', String(params.step))
      return { items: [...(await targetReadings(app.context.db, last))] }
    },
  )
}

export function stepResource(step: StoredStep): StepResource {
  return {
    step: step.step,
    attempt: step.attempt,
    purpose: step.purpose,
    level: step.level,
    shardsCount: step.shardsCount,
    state: step.state,
    summary: step.summary,
    predicted: step.predicted,
    excluded: step.excluded,
    reason: step.reason,
    message: step.message,
    startAt: step.startAt?.toISOString() ?? null,
    finishedAt: step.finishedAt?.toISOString() ?? null,
  }
}
