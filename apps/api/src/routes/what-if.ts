/** What if the promise, the demand, the price or the lengths were others? Answered from what a run measured. */
import { SloSchema } from '@loadcurve/core/plan/demand-schema'
import { questionOfRun, type RunFacts } from '@loadcurve/core/run/run-question'
import { getRecommendation } from '@loadcurve/store/recommendations'
import type { StoredRun } from '@loadcurve/store/runs'
import { listSteps } from '@loadcurve/store/steps'
import { Type } from 'typebox'
import type { Api } from '../api.ts'
import { IdParams } from '../id-params.ts'
import { conflict, failures } from '../problem.ts'
import { changedQuestion, changeOf, instantRecommendation, type WhatIfWords } from '../what-if-question.ts'
import { findRun } from './runs.ts'

const positive = (description: string) =>
  Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1e9, description }))

const WhatIfRequest = Type.Object(
  {
    slo: Type.Optional(SloSchema),
    peakRequestsPerS: positive('Peak demand, requests/s.'),
    pricePerGpuHour: positive('Price of a GPU and hour, USD.'),
    inputTokens: positive('Mean prompt length, inside the probed range.'),
    outputTokens: positive('Mean answer length, half to twice as long as measured.'),
    simulate: Type.Boolean({
      default: false,
      description: 'false: at once, from stored draws. true: the simulated answer, in some seconds.',
    }),
  },
  { additionalProperties: false },
)

const WhatIfAnswer = Type.Object({
  source: Type.Enum(['draws', 'simulation']),
  recommendation: Type.Unknown({ description: 'The answer in the shape of a recommendation.' }),
})

export async function whatIfRoutes(app: Api): Promise<void> {
  app.post(
    '/v1/runs/:id/what-if',
    {
      schema: {
        tags: ['runs'],
        summary: 'Ask a run another question',
        description: 'Nothing is measured again; what lies beyond the measured range is refused.',
        params: IdParams,
        body: WhatIfRequest,
        response: { 200: WhatIfAnswer, ...failures(400, 401, 404, 409, 503) },
      },
    },
    async ({ params, body }) => {
      const run = await findRun(app, params.id)
      const { simulate, ...words } = body
      if (!simulate) return { source: 'draws' as const, recommendation: await instantly(app, run, words) }
      const question = await questionOf(app, run)
      const changed = changedQuestion(question, changeOf(question, words))
      return { source: 'simulation' as const, recommendation: await app.context.compute.answer(changed) }
    },
  )
}

async function instantly(app: Api, run: StoredRun, words: WhatIfWords) {
  const { compute, db } = app.context
  // The same run with its verify step or a later attempt is prepared anew.
  const key = `${run.id} ${run.finishedAt?.getTime() ?? 'unfinished'}`
  let answer = await compute.whatIf(key, words)
  if (answer === 'not-prepared') {
    const question = await questionOf(app, run)
    await compute.prepare({ runId: key, question, answered: await getRecommendation(db, run.id) })
    answer = await compute.whatIf(key, words)
  }
  if (answer === null || answer === 'not-prepared') throw nothingFitted(run.id)
  return instantRecommendation(answer)
}

const nothingFitted = (runId: string) =>
  conflict(
    'nothing-fitted',
    `Run ${runId} has no fitted curve that could be asked; its recommendation says why.`,
  )

async function questionOf(app: Api, run: StoredRun) {
  const attempts = await listSteps(app.context.db, run.id)
  if (!attempts.some(({ summary }) => summary !== null)) {
    throw conflict(
      'nothing-measured',
      `Run ${run.id} has measured nothing yet, so there is nothing to ask it.`,
    )
  }
  return questionOfRun({ plan: run.plan, attempts, ...preflightFacts(run) })
}

/** The part of a stored preflight that an answer uses; a run without one has no probes. */
function preflightFacts(run: StoredRun): Pick<RunFacts, 'probes' | 'server'> {
  const { report } = (run.preflight ?? {}) as {
    report?: { probes?: RunFacts['probes']; fingerprint?: RunFacts['server'] }
  }
  return { probes: report?.probes ?? [], server: report?.fingerprint ?? null }
}
