/** The samples of a run, streamed: one line per request, as NDJSON or CSV. Memory holds one shard at a time. */
import { Readable } from 'node:stream'
import type { Sample } from '@loadcurve/core/metrics/sample'
import { streamRecords } from '@loadcurve/store/shards'
import { listSteps, type StoredStep } from '@loadcurve/store/steps'
import { stringify } from 'csv-stringify/sync'
import { Type } from 'typebox'
import type { Api } from '../api.ts'
import { IdParams } from '../id-params.ts'
import { failures } from '../problem.ts'
import { findRun } from './runs.ts'

type Row = { readonly step: number; readonly attempt: number; readonly shard: number } & Sample

const COLUMNS = [
  ...[
    'step',
    'attempt',
    'shard',
    'index',
    'phase',
    'outcome',
    'httpStatus',
    'errorCode',
    'errorText',
    'retries',
  ],
  ...['scheduledAtMs', 'dispatchedAtMs', 'sentAtMs', 'firstByteAtMs', 'firstContentAtMs', 'firstVisibleAtMs'],
  ...[
    'lastContentAtMs',
    'validJsonAtMs',
    'closedAtMs',
    'inputTokensAsked',
    'outputTokensAsked',
    'inputTokens',
  ],
  ...['inputTokensSource', 'outputTokens', 'outputTokensSource', 'reasoningTokens', 'cachedInputTokens'],
  ...['firstEventTokens', 'contentEvents', 'contentEventsInWindow', 'sequences', 'finishReason'],
] as const satisfies readonly (keyof Row)[]

const FORMATS = { ndjson: 'application/x-ndjson', csv: 'text/csv; charset=utf-8' } as const

export async function sampleRoutes(app: Api): Promise<void> {
  app.get(
    '/v1/runs/:id/samples',
    {
      schema: {
        tags: ['runs'],
        summary: 'Export the samples of a run',
        description:
          'One line per request, warm-up included (`phase`), in the order of steps and shards. Instants are ms from ' +
          'the start of the step on a monotonic clock. Samples that retention has taken are missing.',
        produces: Object.values(FORMATS),
        params: IdParams,
        querystring: Type.Object(
          {
            format: Type.Enum(['ndjson', 'csv'], { default: 'ndjson' }),
            step: Type.Optional(Type.Integer({ minimum: 0, description: 'Only this step.' })),
          },
          { additionalProperties: false },
        ),
        response: { 200: Type.String(), ...failures(400, 401, 404) },
      },
    },
    async ({ params, query }, reply) => {
      const run = await findRun(app, params.id)
      const steps = (await listSteps(app.context.db, run.id)).filter(
        ({ state, step }) => state === 'finished' && (query.step === undefined || query.step === step),
      )
      const extension = query.format
      return reply
        .type(FORMATS[query.format])
        .header('content-disposition', `attachment; filename="loadcurve-${run.id}-samples.${extension}"`)
        .serializer((payload: unknown) => payload as string)
        .send(Readable.from(lines(app, steps, query.format)) as never)
    },
  )
}

async function* lines(
  app: Api,
  steps: readonly StoredStep[],
  format: 'ndjson' | 'csv',
): AsyncGenerator<string> {
  if (format === 'csv') yield `${COLUMNS.join(',')}\n`
  for (const { runId, step, attempt } of steps) {
    for await (const record of streamRecords(app.context.db, { runId, step, attempt })) {
      const rows = record.samples.map((sample): Row => ({ step, attempt, shard: record.shard, ...sample }))
      yield format === 'csv'
        ? stringify(rows, { columns: [...COLUMNS], escape_formulas: true })
        : rows.map((row) => `${JSON.stringify(row)}\n`).join('')
    }
  }
}
