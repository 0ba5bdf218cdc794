/** The answer of a run. */
import type { Recommendation } from '@loadcurve/core/capacity/recommendation'
import { getRecommendation } from '@loadcurve/store/recommendations'
import { Type } from 'typebox'
import type { Api } from '../api.ts'
import { IdParams } from '../id-params.ts'
import { failures, Problem } from '../problem.ts'
import { findRun } from './runs.ts'

export async function recommendationRoutes(app: Api): Promise<void> {
  app.get(
    '/v1/runs/:id/recommendation',
    {
      schema: {
        tags: ['runs'],
        summary: 'The recommendation of a run',
        description:
          'Also an answer that refuses: then `verdict` is `inconclusive` or `infeasible` and `reasons` holds stable ' +
          'codes. Not there while the run goes on, or when it ended without one.',
        params: IdParams,
        response: {
          200: Type.Unknown({ description: 'docs/API.md describes its shape.' }),
          ...failures(400, 401, 404),
        },
      },
    },
    async ({ params }) => requireRecommendation(app, params.id),
  )
}

/** @throws Problem when there is no such run, or it has no recommendation (yet) */
export async function requireRecommendation(app: Api, runId: string): Promise<Recommendation> {
  const run = await findRun(app, runId)
  const recommendation = await getRecommendation(app.context.db, run.id)
  if (recommendation !== null) return recommendation
  throw new Problem({
    status: 404,
    code: 'recommendation-not-found',
    title: 'Not found',
    detail: `Run ${run.id} is ${run.state} and has no recommendation${run.message === null ? '.' : `: ${run.message}`}`,
  })
}
