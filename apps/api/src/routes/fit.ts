/** Bring your own table: any benchmark's levels to a recommendation, as `loadcurve fit` answers. */
import { findGpu } from '@loadcurve/core/capacity/gpu-catalogue'
import { findModel } from '@loadcurve/core/capacity/model-catalogue'
import { questionOfTable, type TableFacts } from '@loadcurve/core/capacity/table-question'
import { CAPTURE_SIZE_MAX, CAPTURE_SIZES_MAX } from '@loadcurve/core/fit/capture-sizes'
import { separatorOf } from '@loadcurve/core/fit/separator'
import { readTable, TABLE_ROWS_MAX, type Table } from '@loadcurve/core/fit/table'
import { parseSloTarget, type SloTarget } from '@loadcurve/core/slo/target'
import { CsvError, parse } from 'csv-parse/sync'
import { type Static, Type } from 'typebox'
import type { Api } from '../api.ts'
import { failures, invalid, type Violation } from '../problem.ts'

const optional = <Schema extends Parameters<typeof Type.Optional>[0]>(schema: Schema) => Type.Optional(schema)
const tokens = (description: string) =>
  optional(Type.Number({ exclusiveMinimum: 0, maximum: 1e7, description }))

const FitRequest = Type.Object(
  {
    csv: Type.String({
      minLength: 1,
      description:
        'The table as text with a header (docs/TABLES.md names the columns), separated by commas, semicolons or tabs.',
      examples: ['concurrency,ttft_ms,tpot_ms,output_tok_s\n1,406.8,18.6,51.7\n5,546.7,21.8,218.5'],
    }),
    slo: optional(Type.Array(Type.String({ examples: ['ttft:p95<800', 'tpot:mean<40'] }), { maxItems: 20 })),
    inputTokens: tokens('Mean prompt tokens, where the table has no such column.'),
    outputTokens: tokens('Mean output tokens, likewise.'),
    experts: optional(
      Type.Object(
        { total: Type.Integer({ minimum: 1 }), perToken: Type.Integer({ minimum: 1 }) },
        { additionalProperties: false, description: 'Of a mixture-of-experts model.' },
      ),
    ),
    captureSizes: optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: CAPTURE_SIZE_MAX }), {
        maxItems: CAPTURE_SIZES_MAX,
        description: 'Batch sizes that the server pads to (CUDA graphs); empty: it pads nothing.',
      }),
    ),
    ratesPerS: optional(Type.Array(Type.Number({ exclusiveMinimum: 0 }), { maxItems: 100 })),
    demandPerS: optional(
      Type.Number({ exclusiveMinimum: 0, description: 'Requests/s that the fleet must carry.' }),
    ),
    gpu: optional(Type.String({ description: 'A name of /v1/gpus.' })),
    gpusPerReplica: optional(Type.Integer({ minimum: 1, maximum: 1024 })),
    pricePerGpuHour: optional(Type.Number({ exclusiveMinimum: 0, description: 'USD.' })),
    model: optional(Type.String({ description: 'A name of /v1/models.' })),
    curve: optional(Type.String({ description: 'Which `curve_id` of the table.' })),
    columns: optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'Headings that the table names differently.',
      }),
    ),
    seed: optional(Type.Integer({ minimum: 0, default: 1 })),
  },
  { additionalProperties: false },
)
type FitRequest = Static<typeof FitRequest>

export async function fitRoutes(app: Api): Promise<void> {
  app.post(
    '/v1/fit',
    {
      schema: {
        tags: ['tools'],
        summary: 'Fit a table of measurements',
        description: 'The same answer as `loadcurve fit TABLE.csv --json`. It takes some seconds.',
        body: FitRequest,
        response: {
          200: Type.Unknown({ description: 'A recommendation, or a refusal with its codes.' }),
          ...failures(400, 401, 413, 422, 503),
        },
      },
    },
    async ({ body }) => {
      const violations: Violation[] = []
      const facts = factsOf(body, violations)
      const levels = levelsOf(body, violations)
      if (violations.length > 0) throw invalid('invalid-table', violations)
      return app.context.compute.answer(questionOfTable(levels, facts))
    },
  )
}

function factsOf(body: FitRequest, violations: Violation[]): TableFacts {
  const unknown = (path: 'gpu' | 'model', list: string) =>
    violations.push({
      path,
      code: `unknown-${path}`,
      message: `"${body[path]}" is not in the catalogue.`,
      whatToDo: `GET ${list} names what is.`,
    })
  if (body.gpu !== undefined && findGpu(body.gpu) === null) unknown('gpu', '/v1/gpus')
  if (body.model !== undefined && findModel(body.model) === null) unknown('model', '/v1/models')
  return {
    inputTokens: body.inputTokens ?? null,
    outputTokens: body.outputTokens ?? null,
    slo: (body.slo ?? []).flatMap((text, index) => sloOf(text, index, violations)),
    experts: expertsOf(body, violations),
    captureSizes: body.captureSizes ?? null,
    ratesPerS: body.ratesPerS ?? [],
    demandPerS: body.demandPerS ?? null,
    gpu: body.gpu ?? null,
    gpusPerReplica: body.gpusPerReplica ?? null,
    pricePerGpuHour: body.pricePerGpuHour ?? null,
    model: body.model ?? null,
    seed: body.seed ?? 1,
  }
}

function expertsOf({ experts }: FitRequest, violations: Violation[]): TableFacts['experts'] {
  if (experts === undefined || experts.perToken <= experts.total) return experts ?? null
  violations.push({
    path: 'experts.perToken',
    code: 'bounds-inverted',
    message: `A token cannot use ${experts.perToken} experts of ${experts.total}.`,
    whatToDo: 'Swap the two, or correct them.',
  })
  return null
}

function sloOf(text: string, index: number, violations: Violation[]): SloTarget[] {
  const parsed = parseSloTarget(text)
  if (parsed.ok) return [parsed.target]
  violations.push({
    path: `slo[${index}]`,
    code: 'slo',
    message: parsed.message,
    whatToDo: 'Write e.g. ttft:p95<800.',
  })
  return []
}

function levelsOf(body: FitRequest, violations: Violation[]) {
  const table = tableOf(body.csv, violations)
  if (table === null) return []
  const reading = readTable(table, {
    inputTokens: body.inputTokens ?? null,
    outputTokens: body.outputTokens ?? null,
    curve: body.curve ?? null,
    columns: Object.entries(body.columns ?? {}).map(([name, header]) => ({ name, header })),
  })
  for (const { code, line, column, message } of reading.violations) {
    const place = [line === null ? [] : [`line ${line}`], column === null ? [] : [`column ${column}`]].flat()
    violations.push({ path: ['csv', ...place].join(', '), code, message, whatToDo: '' })
  }
  return reading.levels
}

function tableOf(csv: string, violations: Violation[]): Table | null {
  try {
    const records = parse(csv, {
      delimiter: separatorOf(csv),
      comment: '#',
      comment_no_infix: true,
      bom: true,
      skip_empty_lines: true,
      relax_column_count: true,
      info: true,
      to: TABLE_ROWS_MAX + 2,
    }) as unknown as { record: string[]; info: { lines: number } }[]
    const [header, ...rows] = records.map(({ record, info }) => ({ line: info.lines, cells: record }))
    if (header !== undefined) return { header, rows }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    violations.push({
      path: 'csv',
      code: 'table-empty',
      message: `This is no CSV: ${error.message}`,
      whatToDo: '',
    })
    return null
  }
  violations.push({ path: 'csv', code: 'table-empty', message: 'The table is empty.', whatToDo: '' })
  return null
}
