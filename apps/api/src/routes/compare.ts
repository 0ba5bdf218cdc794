/** Two runs side by side: two nights of one server, or two servers when asked for. */
import { type Comparison, compareRuns } from '@loadcurve/core/run/comparison'
import { RunResource } from '@loadcurve/core/run/resources'
import { getRecommendation } from '@loadcurve/store/recommendations'
import type { StoredRun } from '@loadcurve/store/runs'
import { type Static, Type } from 'typebox'
import type { Api } from '../api.ts'
import { measuredLevels } from '../measured-levels.ts'
import { failures, invalid } from '../problem.ts'
import { findRun, runResource } from './runs.ts'

const UUID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'
const answered = Type.Union([Type.Number(), Type.Null()])

const Answer = Type.Object({
  verdict: Type.Union([Type.String(), Type.Null()]),
  batch: answered,
  maxRequestsPerS: answered,
  gpus: answered,
  costPerMillionOutputTokens: answered,
})
type Answer = Static<typeof Answer>

const ComparisonAnswer = Type.Object({
  runs: Type.Array(RunResource),
  answers: Type.Array(Answer, { description: 'What each run recommends, in the same order.' }),
  refusal: Type.Union([Type.Enum(['fingerprint-differs', 'no-common-level']), Type.Null()]),
  fingerprintsDiffer: Type.Union([Type.Boolean(), Type.Null()]),
  levels: Type.Array(
    Type.Unknown({ description: 'A level that both measured, with every figure and its change.' }),
  ),
})

export async function compareRoutes(app: Api): Promise<void> {
  app.get(
    '/v1/compare',
    {
      schema: {
        tags: ['runs'],
        summary: 'Compare two runs level by level',
        description:
          'A difference counts only beyond the noise of both figures. Runs of servers with different fingerprints are ' +
          'compared only with `acceptOtherServer=true`; otherwise `refusal` says why not.',
        querystring: Type.Object(
          {
            runs: Type.String({
              pattern: `^${UUID},${UUID}$`,
              description: 'Two run ids, separated by a comma.',
            }),
            acceptOtherServer: Type.Boolean({ default: false }),
          },
          { additionalProperties: false },
        ),
        response: { 200: ComparisonAnswer, ...failures(400, 401, 404, 422) },
      },
    },
    async ({ query }) => {
      const [first, second] = await Promise.all(query.runs.split(',').map((id) => findRun(app, id)))
      if (first === undefined || second === undefined || first.id === second.id) throw sameRun()
      const comparison = await compare(app, { first, second, acceptOtherServer: query.acceptOtherServer })
      return {
        ...comparison,
        levels: [...comparison.levels],
        runs: await Promise.all([first, second].map((run) => runResource(app, run))),
        answers: await Promise.all([first, second].map((run) => answerOf(app, run))),
      }
    },
  )
}

interface Pair {
  readonly first: StoredRun
  readonly second: StoredRun
  readonly acceptOtherServer: boolean
}

async function compare(app: Api, { first, second, acceptOtherServer }: Pair): Promise<Comparison> {
  const { db } = app.context
  return compareRuns({
    first: await measuredLevels(db, first),
    second: await measuredLevels(db, second),
    acceptOtherServer,
  })
}

async function answerOf(app: Api, run: StoredRun): Promise<Answer> {
  const recommendation = await getRecommendation(app.context.db, run.id)
  return {
    verdict: recommendation?.verdict ?? null,
    batch: recommendation?.batch.recommended ?? null,
    maxRequestsPerS: recommendation?.openLoop?.maxRequestsPerS ?? null,
    gpus: recommendation?.fleet?.gpus ?? null,
    costPerMillionOutputTokens: recommendation?.fleet?.costPerMillionOutputTokens.atPeak ?? null,
  }
}

const sameRun = () =>
  invalid('same-run', [
    {
      path: 'runs',
      code: 'same-run',
      message: 'Both ids name the same run.',
      whatToDo: 'Name two different runs.',
    },
  ])
