import { assignColumns, headingOf } from '@loadcurve/core/fit/table/header'
import { expect, test } from 'vitest'

const assign = (text: string, ...mappings: [string, string][]) =>
  assignColumns(
    { line: 3, cells: text.split(',') },
    mappings.map(([name, header]) => ({ name, header })),
  )

const fields = (text: string, ...mappings: [string, string][]) =>
  Object.fromEntries(assign(text, ...mappings).columns.map(({ field, header }) => [field, header]))

const complaints = (text: string, ...mappings: [string, string][]) =>
  assign(text, ...mappings).violations.map(
    ({ code, line, column, message }) => `${code} ${line} ${column}: ${message}`,
  )

test('header: names are found wherever they stand, and others are named in a note', () => {
  const { columns, notes, violations } = assign('joules,tpot_ms,concurrency,ttft_ms,')
  expect(violations).toEqual([])
  expect(columns.map(({ field, index }) => [field, index])).toEqual([
    ['tpot.mean', 1],
    ['concurrency', 2],
    ['ttft.mean', 3],
  ])
  expect(notes).toEqual([{ code: 'columns-ignored', message: 'columns that are not read: joules' }])
})

test('header: a mean itl is also the mean tpot, unless there is a tpot', () => {
  expect(fields('concurrency,ttft_ms,itl_ms')).toMatchObject({ 'gap.mean': 'itl_ms', 'tpot.mean': 'itl_ms' })
  expect(fields('concurrency,ttft_ms,itl_ms,tpot_ms')).toMatchObject({
    'gap.mean': 'itl_ms',
    'tpot.mean': 'tpot_ms',
  })
  expect(fields('concurrency,ttft_ms,itl_p95_ms')).not.toHaveProperty('tpot.p95')
})

test('header: a mapping reads any other heading, and wins over a name that fits', () => {
  expect(fields('N,ttft_ms,vllm TPOT', ['concurrency', 'N'], ['tpot_ms', 'vllm tpot'])).toEqual({
    concurrency: 'N',
    'tpot.mean': 'vllm TPOT',
    'ttft.mean': 'ttft_ms',
  })
  const won = assign('concurrency,ttft_ms,tpot_ms,steady_tpot_ms', ['tpot_ms', 'steady_tpot_ms'])
  expect(headingOf(won.columns, 'tpot.mean')).toBe('steady_tpot_ms')
  expect(won.notes[0]?.message).toBe('columns that are not read: tpot_ms')
})

test('header: every wrong mapping is named', () => {
  const found = complaints(
    'concurrency,ttft_ms,slow',
    ['speed', 'slow'],
    ['tpot_ms', 'fast'],
    ['slow', 'tpot_ms'],
    ['ttft_ms', 'slow'],
    ['ttft_mean_ms', 'ttft_ms'],
  )
  expect(found.map((line) => line.replace(/ Names are.*/, ''))).toEqual([
    'column-mapping 3 speed: is no name that a column can be mapped to.',
    'column-mapping 3 fast: is not a column of the table; it has concurrency, ttft_ms, slow',
    'column-mapping 3 slow: is no name that a column can be mapped to; did you mean tpot_ms=slow?',
    'column-mapping 3 ttft_mean_ms: is mapped twice',
  ])
})

test('header: one heading twice, or two headings for one figure, must be settled by the owner', () => {
  expect(complaints('concurrency,ttft_ms,tpot_ms,TPOT ms')).toEqual([
    'column-repeated 3 TPOT ms: is the heading of two columns; rename or remove one',
  ])
  expect(complaints('concurrency,ttft_ms,ttft_mean_ms,tpot_ms')).toEqual([
    'column-repeated 3 ttft_mean_ms: says the same as ttft_ms; remove one, or choose with --column',
  ])
  expect(complaints('concurrency,ttft_ms,ttft_mean_ms,tpot_ms', ['ttft_ms', 'ttft_ms'])).toEqual([])
})

test('header: output tokens per second win over a throughput that may count the input too', () => {
  expect(fields('concurrency,ttft_ms,tpot_ms,throughput_tok_s,output_tok_s')).toMatchObject({
    outputTokensPerS: 'output_tok_s',
  })
})

test('header: beside a concurrency, qps is not the dial', () => {
  expect(fields('concurrency,qps,ttft_ms,tpot_ms')).not.toHaveProperty('ratePerS')
  expect(assign('concurrency,qps,ttft_ms,tpot_ms').notes[0]?.message).toContain('qps')
})

test('header: every missing column is named, with the headings that might be meant', () => {
  expect(complaints('users,ttft,speed')).toEqual([
    'column-missing 3 concurrency: is missing, and so is qps: a row must say which load it was measured at. The table has users, ttft, speed; map one with --column concurrency=HEADER, with the unit in the name',
    'column-missing 3 tpot_ms: is missing, and so is itl_ms: without the time per token there is nothing to fit. The table has users, ttft, speed; map one with --column tpot_ms=HEADER, with the unit in the name',
    'column-missing 3 ttft_ms: is missing: without TTFT the requests in decode cannot be told from those in prefill. The table has ttft; map one with --column ttft_ms=HEADER, with the unit in the name',
  ])
  expect(complaints('qps,tpot_ms')).toEqual([])
})
