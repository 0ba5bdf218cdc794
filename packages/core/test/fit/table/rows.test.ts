import { expect, test } from 'vitest'
import { complaints, read } from './csv.ts'

test('rows: every bad cell is named by line and column', () => {
  expect(
    complaints('concurrency,ttft_ms,tpot_ms,throughput_tok_s\n1,40,x,50\n2,-5,6,0\n4,60,7,200\n,70,NaN,300'),
  ).toEqual([
    'cell-unreadable | line 2 | tpot_ms | must be a number, got "x"',
    'cell-unreadable | line 3 | ttft_ms | must be more than zero (leave the cell empty when it was not measured), got -5',
    'cell-unreadable | line 3 | throughput_tok_s | must be more than zero (leave the cell empty when it was not measured), got 0',
    'cell-unreadable | line 5 | concurrency | is empty; every row must say which load it was measured at',
    'cell-unreadable | line 5 | tpot_ms | must be a number, got "NaN"; leave the cell empty when it was not measured',
  ])
})

test('rows: a cell that serves two figures is one mistake, and an ignored column may hold anything', () => {
  expect(complaints('concurrency,ttft_ms,itl_ms,note\n1,40,x,cold')).toEqual([
    'cell-unreadable | line 2 | itl_ms | must be a number, got "x"',
  ])
})

test('rows: a row with too few or too many cells is named; a trailing separator is none', () => {
  expect(complaints('concurrency,ttft_ms,tpot_ms\n1,40\n2,50,6,9\n4,60,7,')).toEqual([
    'cell-count | line 2 | null | has 2 cells, the header has 3',
    'cell-count | line 3 | null | has 4 cells, the header has 3',
  ])
})

test('rows: an empty cell is a figure that nobody measured', () => {
  const [first, second] = read('concurrency,ttft_ms,tpot_ms,ttft_p95_ms\n1,40,5,\n2,,6,80').levels
  expect([first?.ttftMs.mean, first?.ttftMs.p95]).toEqual([40, null])
  expect([second?.ttftMs.mean, second?.ttftMs.p95]).toEqual([null, 80])
})

const curves = 'curve_id,concurrency,ttft_ms,tpot_ms\na,1,40,5\nb,1,30,4\na,2,50,6'

test('rows: of several curves one must be chosen, and only its cells are read', () => {
  expect(read(curves, { curve: 'a' }).levels.map((level) => level.label)).toEqual(['line 2', 'line 4'])
  expect(read(`${curves}\nb,2,x,y`, { curve: 'a' }).violations).toEqual([])
  expect(complaints(curves)).toEqual([
    'curve | line 1 | curve_id | names 2 curves; choose one with --curve: a, b',
  ])
  expect(complaints(curves, { curve: 'c' })).toEqual([
    'curve | line 1 | curve_id | has no curve "c"; the table holds a, b',
  ])
})

test('rows: a table of one curve needs no choice, and a choice needs a curve_id', () => {
  expect(read('curve_id,concurrency,ttft_ms,tpot_ms\na,1,40,5').violations).toEqual([])
  expect(complaints('concurrency,ttft_ms,tpot_ms\n1,40,5', { curve: 'a' })).toEqual([
    'curve | line 1 | curve_id | is not a column of the table, so --curve a chooses nothing',
  ])
})
