/**
 * The door for measurements that somebody brings: a table of levels from any benchmark becomes the `Level`s that the
 * fit reads, or a list of everything that is wrong with it, by line and column.
 *
 * Reading is strict, since a misread table gives a confident wrong number. A column is known by its name (quantity,
 * statistic, unit: `table/column.ts`), a cell must be a plain number in its quantity's range, and figures that
 * contradict their unit (a TPOT of 0.018 "ms") are refused. What is merely absent stays null: throughput that the
 * table does not carry is left to the fit, which derives it from Little's law and then knows that its ratio proves
 * nothing.
 *
 * Rows may come in any order. A row that repeats another one's figures is one measurement exported twice, and counts
 * once; two rows of one concurrency with different figures are two runs, and both count.
 */
import type { Level } from './level.ts'
import { assignColumns, type ColumnMapping } from './table/header.ts'
import { levelOf } from './table/row-level.ts'
import { chooseCurve, dropDuplicates, type ReadRow, readRows } from './table/rows.ts'
import { thinLevels } from './table/thin.ts'
import { unitViolations } from './table/units.ts'

/** A table cut into cells, as a CSV parser leaves it; comment and blank lines are gone. Lines count from 1. */
export interface Table {
  readonly header: TableRow
  readonly rows: readonly TableRow[]
}

export interface TableRow {
  readonly line: number
  readonly cells: readonly string[]
}

export interface TableOptions {
  /** Mean prompt tokens of the whole table; a column of the table is more precise and wins. */
  readonly inputTokens: number | null
  /** Mean output tokens of the whole table; likewise. */
  readonly outputTokens: number | null
  /** The `curve_id` to read from a table that holds several curves. */
  readonly curve: string | null
  /** Headers that the table names differently: `ttft_ms` is read from the column that is headed so. */
  readonly columns: readonly ColumnMapping[]
}

/** Something that makes the table unreadable. `line` and `column` are null where none is to blame. */
export interface TableViolation {
  readonly code: TableViolationCode
  readonly line: number | null
  readonly column: string | null
  readonly message: string
}

export type TableViolationCode =
  | 'table-unreadable'
  | 'table-empty'
  | 'table-too-long'
  | 'column-missing'
  | 'column-repeated'
  | 'column-mapping'
  | 'cell-count'
  | 'cell-unreadable'
  | 'unit'
  | 'percentiles-disordered'
  | 'lengths-mixed'
  | 'curve'

/** Something that was done with the table that its owner should know. */
export interface TableNote {
  readonly code: 'columns-ignored' | 'duplicates-dropped' | 'lengths-from-columns' | 'throughput-not-in-table'
  readonly message: string
}

export interface TableReading {
  /** In order of load, then of figures: the answer does not depend on the order of the rows. */
  readonly levels: readonly Level[]
  readonly notes: readonly TableNote[]
  /** Not empty: the table could not be read, and `levels` is empty. */
  readonly violations: readonly TableViolation[]
}

/** More rows than any sweep has; a bound, so that a wrong file does not keep the fit busy. */
export const TABLE_ROWS_MAX = 10_000

/**
 * Reads a table of measured levels.
 *
 * @returns the levels, or every violation (then no levels); an unreadable table is an outcome, never an exception
 */
export function readTable(table: Table, options: TableOptions): TableReading {
  const outOfBounds = sizeViolations(table)
  if (outOfBounds.length > 0) return unreadable(outOfBounds)
  const { columns, notes: columnNotes, violations } = assignColumns(table.header, options.columns)
  if (violations.length > 0) return unreadable(violations)
  const chosen = chooseCurve(table, columns, options.curve)
  if (chosen.violations.length > 0) return unreadable(chosen.violations)
  const read = readRows(table.header, chosen.rows, columns)
  const problems = read.violations.length > 0 ? read.violations : unitViolations(read.rows, columns)
  if (problems.length > 0) return unreadable(problems)
  const distinct = dropDuplicates(read.rows)
  return {
    levels: thinLevels(distinct.map((row) => levelOf(row, options)).sort(byLoad)),
    notes: [...columnNotes, ...rowNotes(read.rows, distinct, options)],
    violations: [],
  }
}

const unreadable = (violations: readonly TableViolation[]): TableReading => ({
  levels: [],
  notes: [],
  violations,
})

function sizeViolations({ header, rows }: Table): readonly TableViolation[] {
  const first = rows[0]
  if (first === undefined) {
    const message = 'has a header but no rows; add one row for each measured concurrency or rate'
    return [{ code: 'table-empty', line: header.line + 1, column: header.cells[0] ?? null, message }]
  }
  const beyond = rows[TABLE_ROWS_MAX]
  if (beyond === undefined) return []
  const message =
    `is row ${TABLE_ROWS_MAX + 1}, and at most ${TABLE_ROWS_MAX} are read; ` +
    'bring one row for each level, not one for each request'
  return [{ code: 'table-too-long', line: beyond.line, column: null, message }]
}

function rowNotes(
  rows: readonly ReadRow[],
  distinct: readonly ReadRow[],
  options: TableOptions,
): readonly TableNote[] {
  const notes: TableNote[] = []
  const dropped = rows.length - distinct.length
  if (dropped > 0) {
    const message =
      dropped === 1
        ? "1 row repeats another row's figures and counts once"
        : `${dropped} rows repeat another row's figures and count once`
    notes.push({ code: 'duplicates-dropped', message })
  }
  const overridden = (['inputTokens', 'outputTokens'] as const).filter(
    (field) => options[field] !== null && rows.some((row) => row.values.has(field)),
  )
  if (overridden.length > 0) {
    const names = overridden.map((field) => (field === 'inputTokens' ? 'input_tokens' : 'output_tokens'))
    const message = `the table's own ${names.join(' and ')} are used instead of the given ones`
    notes.push({ code: 'lengths-from-columns', message })
  }
  // Where a rate is the dial, throughput is the rate as long as the server keeps up.
  if (rows.some(isClosedLoop) && !rows.some(hasThroughput)) {
    const message =
      "there is no throughput column: throughput follows from Little's law and the output length"
    notes.push({ code: 'throughput-not-in-table', message })
  }
  return notes
}

const isClosedLoop = (row: ReadRow): boolean => row.values.has('concurrency')

const hasThroughput = (row: ReadRow): boolean =>
  row.values.has('requestsPerS') || row.values.has('outputTokensPerS')

function byLoad(left: Level, right: Level): number {
  const figures = (level: Level) => [
    level.concurrency ?? level.ratePerS ?? 0,
    level.tpotMs.mean ?? level.tpotMs.p50 ?? level.gapMs.mean ?? level.gapMs.p50 ?? 0,
    level.ttftMs.mean ?? level.ttftMs.p50 ?? 0,
    level.outputTokensPerS ?? level.requestsPerS ?? 0,
  ]
  const others = figures(right)
  return figures(left).reduce((order, figure, index) => order || figure - (others[index] ?? 0), 0)
}
