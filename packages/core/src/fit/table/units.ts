/**
 * Figures that contradict their unit or one another. Each check is a thing no server can do, so that a hit means a
 * misnamed column and never a fast machine.
 */
import type { TableViolation } from '../table.ts'
import type { Field, LatencyMetric } from './column.ts'
import { type Column, headingOf } from './header.ts'
import type { ReadRow } from './rows.ts'

/** 0.2 ms a token would be 5,000 tokens a second for one user. */
export const TPOT_MS_MIN = 0.2
/** The first token takes at least one pass of the model, and so does each later one. */
const ttftPerTpotMin = 0.2
/** MODEL.md transfers a fit over output lengths up to this factor; rows further apart are different workloads. */
const lengthRatioMax = 2

export function unitViolations(
  rows: readonly ReadRow[],
  columns: readonly Column[],
): readonly TableViolation[] {
  const seconds = [
    ...tpotInSeconds(rows, columns),
    ...ttftInSeconds(rows, columns),
    ...e2eInSeconds(rows, columns),
  ]
  return [...seconds, ...disordered(rows, columns), ...mixedLengths(rows, columns)]
}

function tpotInSeconds(rows: readonly ReadRow[], columns: readonly Column[]): readonly TableViolation[] {
  const fields: readonly Field[] = ['tpot.mean', 'tpot.p50', 'gap.mean', 'gap.p50']
  const found = fields.flatMap((field) => {
    // A median gap of zero length happens where a server sends tokens in bundles; a mean does not.
    const row = rows.find(({ values }) => (values.get(field) ?? TPOT_MS_MIN) < TPOT_MS_MIN)
    return row === undefined ? [] : [secondsViolation(row, columns, field, 'a token in less than 0.2 ms')]
  })
  return found.filter(
    (violation, index) => found.findIndex(({ column }) => column === violation.column) === index,
  )
}

// Only when no row is plausible: one level with a strange TTFT is a bad level, not a misnamed column.
function ttftInSeconds(rows: readonly ReadRow[], columns: readonly Column[]): readonly TableViolation[] {
  const statistic = (['mean', 'p50'] as const).find((name) => has(rows, `ttft.${name}`))
  const pace = (['tpot.mean', 'tpot.p50', 'gap.p50'] as const).find((field) => has(rows, field))
  if (statistic === undefined || pace === undefined) return []
  const field = `ttft.${statistic}` as const
  const implausible = rows.filter(({ values }) => {
    const ttft = values.get(field)
    const tpot = values.get(pace)
    return ttft !== undefined && tpot !== undefined && tpot >= TPOT_MS_MIN && ttft < ttftPerTpotMin * tpot
  })
  const row = implausible[0]
  if (row === undefined || implausible.length < rows.length) return []
  return [secondsViolation(row, columns, field, 'a first token far sooner than every later one')]
}

function e2eInSeconds(rows: readonly ReadRow[], columns: readonly Column[]): readonly TableViolation[] {
  const statistic = (['mean', 'p50', 'p95', 'p99'] as const).find(
    (name) => has(rows, `e2e.${name}`) && has(rows, `ttft.${name}`),
  )
  if (statistic === undefined) return []
  const row = rows.find(({ values }) => {
    const e2e = values.get(`e2e.${statistic}`)
    return e2e !== undefined && e2e < (values.get(`ttft.${statistic}`) ?? 0)
  })
  if (row === undefined) return []
  return [secondsViolation(row, columns, `e2e.${statistic}`, 'an answer that ends before its first token')]
}

function secondsViolation(
  row: ReadRow,
  columns: readonly Column[],
  field: Field,
  claim: string,
): TableViolation {
  const column = headingOf(columns, field)
  const message =
    `says ${row.values.get(field)} ms, ${claim}: this looks like seconds. ` +
    `If it is, head the column ${column.replace(/ms$/i, 's')}; if it is another figure, rename it`
  return { code: 'unit', line: row.line, column, message }
}

function disordered(rows: readonly ReadRow[], columns: readonly Column[]): readonly TableViolation[] {
  const metrics: readonly LatencyMetric[] = ['ttft', 'tpot', 'gap', 'e2e']
  const pairs = [
    ['p50', 'p90'],
    ['p50', 'p95'],
    ['p50', 'p99'],
    ['p90', 'p95'],
    ['p90', 'p99'],
    ['p95', 'p99'],
  ] as const
  const violations: TableViolation[] = []
  for (const { line, values } of rows) {
    for (const metric of metrics) {
      const pair = pairs.find(
        ([low, high]) =>
          (values.get(`${metric}.${low}`) ?? 0) > (values.get(`${metric}.${high}`) ?? Infinity),
      )
      if (pair === undefined) continue
      const low = headingOf(columns, `${metric}.${pair[0]}`)
      const column = headingOf(columns, `${metric}.${pair[1]}`)
      const message = `is below ${low} of the same row; a higher percentile cannot be lower`
      violations.push({ code: 'percentiles-disordered', line, column, message })
    }
  }
  return violations
}

function mixedLengths(rows: readonly ReadRow[], columns: readonly Column[]): readonly TableViolation[] {
  return (['inputTokens', 'outputTokens'] as const).flatMap((field) => {
    const lengths = rows.flatMap(({ values }) => values.get(field) ?? [])
    const shortest = Math.min(...lengths)
    const row = rows.find(({ values }) => (values.get(field) ?? 0) > lengthRatioMax * shortest)
    if (row === undefined) return []
    const message =
      `says ${row.values.get(field)} where another row says ${shortest}: rows of such different lengths are ` +
      'different curves. Keep those of one length, or tell them apart by a curve_id column and --curve'
    return [{ code: 'lengths-mixed' as const, line: row.line, column: headingOf(columns, field), message }]
  })
}

const has = (rows: readonly ReadRow[], field: Field) => rows.some(({ values }) => values.has(field))
