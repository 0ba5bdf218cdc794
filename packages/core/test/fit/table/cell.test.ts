import { readCell } from '@loadcurve/core/fit/table/cell'
import type { Field } from '@loadcurve/core/fit/table/column'
import { expect, test } from 'vitest'

const cell = (text: string, field: Field = 'tpot.mean', factor = 1) =>
  readCell(text, { field, factor, index: 0, header: 'x' })

test('cell: plain numbers are read in the unit of the field, blanks around them do not matter', () => {
  expect(['18.5', ' 18.5 ', '+18.5', '.5', '5.', '1e3', '1.5E-1'].map((text) => cell(text))).toEqual([
    18.5, 18.5, 18.5, 0.5, 5, 1000, 0.15,
  ])
  expect(cell('0.0185', 'tpot.mean', 1000)).toBeCloseTo(18.5, 12)
})

test('cell: empty means not measured, except for the load itself', () => {
  expect(cell('')).toBeNull()
  expect(cell('  ', 'ttft.p95')).toBeNull()
  const problem = { problem: 'is empty; every row must say which load it was measured at' }
  expect([cell('', 'concurrency'), cell('', 'ratePerS')]).toEqual([problem, problem])
})

test.each([
  ['NaN', 'must be a number, got "NaN"; leave the cell empty when it was not measured'],
  ['inf', 'must be a number, got "inf"; leave the cell empty when it was not measured'],
  ['N/A', 'must be a number, got "N/A"; leave the cell empty when it was not measured'],
  ['-', 'must be a number, got "-"; leave the cell empty when it was not measured'],
  ['12,5', 'must be a number, got "12,5"; write the decimals after a point'],
  ['1,234', 'must be a number, got "1,234"; write it without thousands separators'],
  ['18.5ms', 'must be a number, got "18.5ms"; the unit belongs in the column name'],
  ['99 %', 'must be a number, got "99 %"; write a fraction between 0 and 1'],
  ['0x10', 'must be a number, got "0x10"'],
  ['twelve', 'must be a number, got "twelve"'],
  ['1e999', 'must be a finite number, got "1e999"'],
  ['-3', 'must be more than zero (leave the cell empty when it was not measured), got -3'],
  ['0', 'must be more than zero (leave the cell empty when it was not measured), got 0'],
  ['0.0', 'must be more than zero (leave the cell empty when it was not measured), got 0.0'],
  ['x'.repeat(1000), `must be a number, got "${'x'.repeat(40)}..."`],
])('cell: %s is refused in words', (text, problem) => {
  expect(cell(text)).toEqual({ problem })
})

test('cell: each quantity has its range', () => {
  expect([cell('0', 'okFraction'), cell('1', 'okFraction'), cell('0', 'requests')]).toEqual([0, 1, 0])
  expect(cell('99.5', 'okFraction')).toEqual({ problem: 'must be a fraction between 0 and 1, got 99.5' })
  expect(cell('12.5', 'requests')).toEqual({ problem: 'must be a whole number, zero or more, got 12.5' })
  expect(cell('0', 'concurrency')).toEqual({
    problem: 'must be a whole number of at least 1 (a measured mean belongs in achieved_concurrency), got 0',
  })
  expect(cell('7.9', 'achievedConcurrency')).toBe(7.9)
})
