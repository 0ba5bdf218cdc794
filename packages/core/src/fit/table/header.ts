/** Which column of the table carries which figure. */
import type { TableNote, TableRow, TableViolation } from '../table.ts'
import { COLUMN_NAMES_HELP, type ColumnMeaning, columnMeaning, type Field, normalName } from './column.ts'

/** `--column name=header`: read `name` from the column that is headed `header`. */
export interface ColumnMapping {
  readonly name: string
  readonly header: string
}

export interface Column extends ColumnMeaning {
  readonly index: number
  /** As the table heads it. */
  readonly header: string
}

export interface Columns {
  readonly columns: readonly Column[]
  readonly notes: readonly TableNote[]
  readonly violations: readonly TableViolation[]
}

/** Assigns every figure its column; a mapping that was asked for wins over a name that merely fits. */
export function assignColumns(header: TableRow, mappings: readonly ColumnMapping[]): Columns {
  const mapped = mapColumns(header, mappings)
  const violations = [...mapped.violations, ...repeatedHeaders(header)]
  const asked = new Set(mapped.columns.map((column) => column.field))
  const mappedIndexes = new Set(mapped.columns.map((column) => column.index))
  const named: Column[] = []
  for (const [index, text] of header.cells.entries()) {
    const meaning = columnMeaning(text)
    if (meaning === null || mappedIndexes.has(index) || asked.has(meaning.field)) continue
    named.push({ ...meaning, index, header: text.trim() })
  }
  const { kept, violations: contested } = settleContests(header, named)
  const columns = withTpotFromItl(withOneDial([...mapped.columns, ...kept]))
  violations.push(...contested)
  if (violations.length === 0) violations.push(...missingColumns(header, columns))
  return { columns, notes: ignoredNote(header, columns), violations }
}

function mapColumns(header: TableRow, mappings: readonly ColumnMapping[]) {
  const columns: Column[] = []
  const violations: TableViolation[] = []
  const refuse = (column: string, message: string) =>
    violations.push({ code: 'column-mapping', line: header.line, column, message })
  for (const { name, header: wanted } of mappings) {
    const meaning = columnMeaning(name)
    const index = header.cells.findIndex((cell) => normalName(cell) === normalName(wanted))
    if (meaning === null) {
      const turned = columnMeaning(wanted) !== null ? `; did you mean ${wanted}=${name}?` : '.'
      refuse(name, `is no name that a column can be mapped to${turned} Names are ${COLUMN_NAMES_HELP}`)
    } else if (index < 0) {
      refuse(
        wanted,
        `is not a column of the table; it has ${header.cells.map((cell) => cell.trim()).join(', ')}`,
      )
    } else if (columns.some((column) => column.field === meaning.field)) {
      refuse(name, 'is mapped twice')
    } else {
      columns.push({ ...meaning, index, header: (header.cells[index] ?? wanted).trim() })
    }
  }
  return { columns, violations }
}

function repeatedHeaders(header: TableRow): readonly TableViolation[] {
  const names = header.cells.map(normalName)
  const repeated = header.cells.filter(
    (_, index) => names[index] !== '' && names.indexOf(names[index] ?? '') < index,
  )
  return repeated.map((cell) => ({
    code: 'column-repeated',
    line: header.line,
    column: cell.trim(),
    message: 'is the heading of two columns; rename or remove one',
  }))
}

// Two columns for one figure: only `output_tok_s` beside `throughput_tok_s` has an obvious winner, since a total of
// input and output tokens is often called throughput.
function settleContests(header: TableRow, columns: readonly Column[]) {
  const kept: Column[] = []
  const violations: TableViolation[] = []
  for (const column of columns) {
    const rivals = columns.filter((other) => other.field === column.field)
    const winner =
      rivals.length === 1 ? column : rivals.find((other) => normalName(other.header) === 'output_tok_s')
    if (winner === column) kept.push(column)
    // The same heading twice is already a violation of its own.
    if (winner !== undefined || column === rivals[0] || sameName(column, rivals[0])) continue
    violations.push({
      code: 'column-repeated',
      line: header.line,
      column: column.header,
      message: `says the same as ${rivals[0]?.header}; remove one, or choose with --column`,
    })
  }
  return { kept, violations }
}

const sameName = (left: Column, right: Column | undefined) =>
  right !== undefined && normalName(left.header) === normalName(right.header)

// Beside a concurrency, `qps` is a result and not the dial, and nobody can know whether it counts requests started or
// finished: it is ignored by name.
function withOneDial(columns: readonly Column[]): readonly Column[] {
  if (!columns.some((column) => column.field === 'concurrency')) return columns
  return columns.filter((column) => column.field !== 'ratePerS')
}

function withTpotFromItl(columns: readonly Column[]): readonly Column[] {
  const itl = columns.find((column) => column.field === 'gap.mean')
  if (itl === undefined || columns.some((column) => column.field === 'tpot.mean')) return columns
  return [...columns, { ...itl, field: 'tpot.mean' }]
}

function missingColumns(header: TableRow, columns: readonly Column[]): readonly TableViolation[] {
  const has = (start: string) => columns.some((column) => column.field.startsWith(start))
  const missing: TableViolation[] = []
  const miss = (column: string, message: string) =>
    missing.push({
      code: 'column-missing',
      line: header.line,
      column,
      message: `${message}${nearMiss(header, column)}`,
    })
  if (!has('concurrency') && !has('ratePerS')) {
    miss('concurrency', 'is missing, and so is qps: a row must say which load it was measured at')
  }
  if (!has('tpot.') && !has('gap.')) {
    miss('tpot_ms', 'is missing, and so is itl_ms: without the time per token there is nothing to fit')
  }
  // Open loop: the arrival rate is the dial, and TTFT only adds to what can be said.
  if (!has('ttft.') && !has('ratePerS')) {
    miss('ttft_ms', 'is missing: without TTFT the requests in decode cannot be told from those in prefill')
  }
  return missing
}

function nearMiss(header: TableRow, name: string): string {
  const word = name.split('_')[0] ?? name
  const near = header.cells.map((cell) => cell.trim()).filter((cell) => normalName(cell).includes(word))
  const others =
    near.length > 0 ? near : header.cells.map((cell) => cell.trim()).filter((cell) => cell !== '')
  return `. The table has ${others.join(', ')}; map one with --column ${name}=HEADER, with the unit in the name`
}

function ignoredNote(header: TableRow, columns: readonly Column[]): readonly TableNote[] {
  const used = new Set(columns.map((column) => column.index))
  const ignored = header.cells
    .map((cell) => cell.trim())
    .filter((cell, index) => !used.has(index) && cell !== '')
  if (ignored.length === 0) return []
  return [{ code: 'columns-ignored', message: `columns that are not read: ${ignored.join(', ')}` }]
}

/** The heading under which a field was read, for messages. */
export function headingOf(columns: readonly Column[], field: Field): string {
  return columns.find((column) => column.field === field)?.header ?? field
}
