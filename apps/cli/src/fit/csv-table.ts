/**
 * Bytes become a table of cells. The CSV itself is csv-parse's business; ours is to know which separator a file uses,
 * to refuse what is no text, and to keep the line on which each row starts.
 */
import { separatorOf } from '@loadcurve/core/fit/separator'
import type { Table, TableRow, TableViolation } from '@loadcurve/core/fit/table'
import { TABLE_ROWS_MAX } from '@loadcurve/core/fit/table'
import { CsvError, type InfoRecord } from 'csv-parse'
import { parse } from 'csv-parse/sync'

/** Ten thousand rows of a hundred columns fit well; anything beyond is another kind of file. */
export const TABLE_BYTES_MAX = 16 * 2 ** 20

export type CsvTable =
  | { readonly table: Table; readonly violations: readonly [] }
  | { readonly table: null; readonly violations: readonly TableViolation[] }

/** Cuts a CSV file (comma, semicolon or tab; `#` comments; quotes; any line ends; byte-order mark) into a table. */
export function csvTable(bytes: Uint8Array): CsvTable {
  const text = decode(bytes)
  if (text === null) return refused('is not UTF-8 text; save the table as CSV in UTF-8', 1)
  if (text.includes('\0')) return refused('is a binary file; save the table as CSV', 1)
  let records: readonly CsvRecord[]
  try {
    records = splitRecords(text)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return refused(quoteAdvice(error), typeof error['lines'] === 'number' ? error['lines'] : null)
  }
  const [header, ...rows] = records.map(toRow).filter((row) => row.cells.some((cell) => cell.trim() !== ''))
  if (header === undefined) {
    return refused('is empty; the first line that is no comment names the columns', 1)
  }
  return { table: { header, rows }, violations: [] }
}

interface CsvRecord {
  readonly record: readonly string[]
  readonly info: InfoRecord
}

// One row beyond the limit is read, so that the table's own check can name it.
function splitRecords(text: string): readonly CsvRecord[] {
  return parse(text, {
    delimiter: separatorOf(text),
    comment: '#',
    // A '#' inside a cell is text.
    comment_no_infix: true,
    skip_empty_lines: true,
    relax_column_count: true,
    info: true,
    to: TABLE_ROWS_MAX + 2,
  }) as unknown as readonly CsvRecord[]
}

// csv-parse counts the line on which a record ends; a quoted cell may hold line breaks.
function toRow({ record, info }: CsvRecord): TableRow {
  const breaks = record.reduce((sum, cell) => sum + cell.split('\n').length - 1, 0)
  return { line: info.lines - breaks, cells: record }
}

function decode(bytes: Uint8Array): string | null {
  try {
    // Drops a byte-order mark.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

function quoteAdvice(error: CsvError): string {
  return error.code === 'CSV_QUOTE_NOT_CLOSED'
    ? 'opens a quote that is never closed'
    : `has a quote in the middle of a cell (${error.code})`
}

const refused = (message: string, line: number | null): CsvTable => ({
  table: null,
  violations: [{ code: 'table-unreadable', line, column: null, message }],
})
