/** Rows of text become rows of figures. */
import type { Table, TableRow, TableViolation } from '../table.ts'
import { readCell } from './cell.ts'
import type { Field } from './column.ts'
import type { Column } from './header.ts'

export interface ReadRow {
  readonly line: number
  /** Only what the row carries: an empty cell has no entry. */
  readonly values: ReadonlyMap<Field, number>
}

/** The rows of one curve. A table with several curves and no choice, or the choice of one that is not there, is a violation. */
export function chooseCurve(table: Table, columns: readonly Column[], curve: string | null) {
  const column = columns.find(({ field }) => field === 'curve')
  const refuse = (message: string) => ({
    rows: [],
    violations: [
      { code: 'curve' as const, line: table.header.line, column: column?.header ?? 'curve_id', message },
    ],
  })
  if (column === undefined) {
    if (curve !== null) return refuse(`is not a column of the table, so --curve ${curve} chooses nothing`)
    return { rows: table.rows, violations: [] }
  }
  const idOf = (row: TableRow) => (row.cells[column.index] ?? '').trim()
  const ids = [...new Set(table.rows.map(idOf))]
  const shown = `${ids.slice(0, 8).join(', ')}${ids.length > 8 ? ', ...' : ''}`
  if (curve === null) {
    if (ids.length > 1) return refuse(`names ${ids.length} curves; choose one with --curve: ${shown}`)
    return { rows: table.rows, violations: [] }
  }
  if (!ids.includes(curve)) return refuse(`has no curve "${curve}"; the table holds ${shown}`)
  return { rows: table.rows.filter((row) => idOf(row) === curve), violations: [] }
}

/** Reads every cell of every row; the violations are all there are. */
export function readRows(header: TableRow, rows: readonly TableRow[], columns: readonly Column[]) {
  const violations: TableViolation[] = []
  const read: ReadRow[] = []
  for (const row of rows) {
    const surplus = row.cells.slice(header.cells.length).some((cell) => cell.trim() !== '')
    if (row.cells.length < header.cells.length || surplus) {
      const message = `has ${row.cells.length} cells, the header has ${header.cells.length}`
      violations.push({ code: 'cell-count', line: row.line, column: null, message })
      continue
    }
    read.push(readRow(row, columns, violations))
  }
  return { rows: read, violations }
}

function readRow(row: TableRow, columns: readonly Column[], violations: TableViolation[]): ReadRow {
  const values = new Map<Field, number>()
  // By heading: a column that serves two fields (itl_ms) is one mistake.
  const problems = new Map<string, string>()
  for (const column of columns) {
    if (column.field === 'curve') continue
    const cell = readCell(row.cells[column.index] ?? '', column)
    if (typeof cell === 'number') values.set(column.field, cell)
    else if (cell !== null) problems.set(column.header, cell.problem)
  }
  for (const [column, message] of problems) {
    violations.push({ code: 'cell-unreadable', line: row.line, column, message })
  }
  return { line: row.line, values }
}

/**
 * Rows that repeat another row's figures are dropped. Figures are compared to twelve digits, since one measurement
 * exported by two programs can differ in the last bit; no two runs ever agree so far.
 */
export function dropDuplicates(rows: readonly ReadRow[]): readonly ReadRow[] {
  const seen = new Set<string>()
  return rows.filter((row) => {
    const key = [...row.values].map(([field, value]) => `${field}=${value.toPrecision(12)}`).join(' ')
    const isNew = !seen.has(key)
    seen.add(key)
    return isNew
  })
}
