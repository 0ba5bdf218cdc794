/** The report of a run: one HTML file, Markdown, or the JSON that both are made of. */
import { runDocument } from '@loadcurve/report/html/run-document'
import { runMarkdown } from '@loadcurve/report/markdown/run-markdown'
import type { RunReport } from '@loadcurve/report/run-report'
import { Type } from 'typebox'
import type { Api } from '../api.ts'
import { IdParams } from '../id-params.ts'
import { failures } from '../problem.ts'
import { runReport } from '../run-report.ts'
import { findRun } from './runs.ts'

interface Format {
  readonly type: string
  readonly extension: string
  readonly write: (report: RunReport) => string
}

const FORMATS: Readonly<Record<'html' | 'markdown' | 'json', Format>> = {
  html: { type: 'text/html; charset=utf-8', extension: 'html', write: runDocument },
  markdown: { type: 'text/markdown; charset=utf-8', extension: 'md', write: runMarkdown },
  json: { type: 'application/json; charset=utf-8', extension: 'json', write: JSON.stringify },
}

export async function reportRoutes(app: Api): Promise<void> {
  app.get(
    '/v1/runs/:id/report',
    {
      schema: {
        tags: ['runs'],
        summary: 'The report of a run',
        description: 'HTML is one file that needs no network and no script.',
        produces: Object.values(FORMATS).map(({ type }) => type),
        params: IdParams,
        querystring: Type.Object(
          { format: Type.Enum(['html', 'markdown', 'json'], { default: 'html' }) },
          { additionalProperties: false },
        ),
        response: { 200: Type.String(), ...failures(400, 401, 404) },
      },
    },
    async ({ params, query }, reply) => {
      const report = await runReport(app, await findRun(app, params.id))
      const { type, extension, write } = FORMATS[query.format]
      return reply
        .type(type)
        .header('content-disposition', `inline; filename="loadcurve-${params.id}.${extension}"`)
        .serializer((payload: unknown) => payload as string)
        .send(write(report))
    },
  )
}
