import { TABLE_ROWS_MAX } from '@loadcurve/core/fit/table'
import { expect, test } from 'vitest'
import { csvTable } from '../../src/fit/csv-table.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const cells = (text: string) => {
  const { table } = csvTable(bytes(text))
  return table === null ? null : [table.header, ...table.rows].map((row) => [row.line, ...row.cells])
}
const complaint = (input: string | Uint8Array) => {
  const [violation] = csvTable(typeof input === 'string' ? bytes(input) : input).violations
  return violation === undefined ? null : `line ${violation.line}: ${violation.message}`
}

test('csv table: comments and blank lines are skipped, and lines are counted with them', () => {
  expect(cells('# source\nn,ms\n\n1,5\n# more\n2,6\n')).toEqual([
    [2, 'n', 'ms'],
    [4, '1', '5'],
    [6, '2', '6'],
  ])
})

test.each([
  ['CRLF', 'n,ms\r\n1,5\r\n'],
  ['a byte-order mark', '\ufeffn,ms\n1,5\n'],
  ['quoted cells', '"n","ms"\n"1","5"\n'],
  ['semicolons', 'n;ms\n1;5\n'],
  ['tabs', 'n\tms\n1\t5\n'],
  ['no line end at the end', 'n,ms\n1,5'],
  ['empty rows of a spreadsheet', 'n,ms\n1,5\n,\n'],
  ['old Macintosh line ends', 'n,ms\r1,5\r'],
])('csv table: %s make no difference', (_, text) => {
  expect(cells(text)).toEqual([
    [1, 'n', 'ms'],
    [2, '1', '5'],
  ])
})

test('csv table: a quoted cell may hold the separator, a comment sign and line breaks, and lines still count', () => {
  expect(cells('n,note\n1,"a, #b\nc"\n2,d#e')).toEqual([
    [1, 'n', 'note'],
    [2, '1', 'a, #b\nc'],
    [4, '2', 'd#e'],
  ])
})

test('csv table: decimal commas survive a semicolon file as text, for the reader to refuse', () => {
  expect(cells('n;ms\n1;5,25')).toEqual([
    [1, 'n', 'ms'],
    [2, '1', '5,25'],
  ])
})

test('csv table: what is no table is refused in words', () => {
  const empty = 'line 1: is empty; the first line that is no comment names the columns'
  expect([complaint(''), complaint('\n\n'), complaint('# only\n# comments\n')]).toEqual([empty, empty, empty])
  expect(complaint(Uint8Array.of(0x1f, 0x8b, 8, 0))).toContain('is not UTF-8 text')
  expect(complaint(Buffer.from('concurrency,ttft_ms', 'utf16le'))).toContain('is a binary file')
  expect(complaint('n,ms\n1,"5\n2,6')).toBe('line 3: opens a quote that is never closed')
  expect(complaint('n,ms\n1,5"6')).toContain('line 2: has a quote in the middle of a cell')
})

test('csv table: reading stops one row beyond what is allowed', () => {
  const rows = csvTable(bytes(`n,ms\n${'1,5\n'.repeat(TABLE_ROWS_MAX + 500)}`)).table?.rows
  expect(rows).toHaveLength(TABLE_ROWS_MAX + 1)
})
