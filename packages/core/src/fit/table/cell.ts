/** One cell: a plain number within its quantity's range, empty, or a problem in words. */
import type { Field } from './column.ts'
import type { Column } from './header.ts'

export interface CellProblem {
  readonly problem: string
}

const PLAIN_NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/**
 * Reads a cell.
 *
 * @returns the value in the field's own unit; null when the cell is empty (not measured, which is not zero)
 */
export function readCell(text: string, column: Column): number | null | CellProblem {
  const trimmed = text.trim()
  if (trimmed === '') {
    if (column.field === 'concurrency' || column.field === 'ratePerS') {
      return { problem: 'is empty; every row must say which load it was measured at' }
    }
    return null
  }
  if (!PLAIN_NUMBER.test(trimmed))
    return { problem: `must be a number, got "${shorten(trimmed)}"${hint(trimmed)}` }
  const value = Number(trimmed)
  if (!Number.isFinite(value)) return { problem: `must be a finite number, got "${shorten(trimmed)}"` }
  const problem = rangeProblem(column.field, value)
  return problem === null ? value * column.factor : { problem: `${problem}, got ${shorten(trimmed)}` }
}

// A cell may be a whole page when the file is not what it seems.
const shorten = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}...` : text)

function hint(text: string): string {
  if (/^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$/.test(text)) return '; write it without thousands separators'
  if (/^[+-]?\d+,\d+$/.test(text)) return '; write the decimals after a point'
  if (/^[\d.]+\s*%$/.test(text)) return '; write a fraction between 0 and 1'
  if (/^[\d.]+\s*[a-z/µ]+$/i.test(text)) return '; the unit belongs in the column name'
  if (/^(nan|n\/?a|null|none|-+|[+-]?inf(inity)?)$/i.test(text))
    return '; leave the cell empty when it was not measured'
  return ''
}

// Zero stands for "not measured" in many exports, and would pass for a perfect latency.
function rangeProblem(field: Field, value: number): string | null {
  if (field === 'okFraction') {
    return value >= 0 && value <= 1 ? null : 'must be a fraction between 0 and 1'
  }
  if (field === 'requests') {
    return Number.isInteger(value) && value >= 0 ? null : 'must be a whole number, zero or more'
  }
  if (field === 'concurrency') {
    if (Number.isInteger(value) && value >= 1) return null
    return 'must be a whole number of at least 1 (a measured mean belongs in achieved_concurrency)'
  }
  return value > 0 ? null : 'must be more than zero (leave the cell empty when it was not measured)'
}
