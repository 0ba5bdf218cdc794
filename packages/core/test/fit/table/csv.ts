import { readTable, type Table, type TableOptions, type TableReading } from '@loadcurve/core/fit/table'

const none: TableOptions = { inputTokens: null, outputTokens: null, curve: null, columns: [] }

/** Cuts simple text (no quotes) as a CSV parser would; line 1 is the header. */
export function tableOf(text: string): Table {
  const [header = [], ...rows] = text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(','))
  return {
    header: { line: 1, cells: header },
    rows: rows.map((cells, index) => ({ line: index + 2, cells })),
  }
}

export function read(text: string, options: Partial<TableOptions> = {}): TableReading {
  return readTable(tableOf(text), { ...none, ...options })
}

/** The violations as a person sees them. */
export function complaints(text: string, options: Partial<TableOptions> = {}): string[] {
  return read(text, options).violations.map(
    ({ code, line, column, message }) => `${code} | line ${line} | ${column} | ${message}`,
  )
}
