import { readTable, TABLE_ROWS_MAX } from '@loadcurve/core/fit/table'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { complaints, read, tableOf } from './table/csv.ts'

const plain = `
concurrency,ttft_ms,itl_ms,throughput_tok_s
1,400,18.5,50
4,500,21,180
16,700,30,500`

test('table: a plain table of means becomes levels, unknown figures stay null', () => {
  const { levels, notes, violations } = read(plain, { inputTokens: 1000, outputTokens: 100 })
  expect({ notes, violations }).toEqual({ notes: [], violations: [] })
  expect(levels.map((level) => level.concurrency)).toEqual([1, 4, 16])
  const unknown = { mean: null, p50: null, p90: null, p95: null, p99: null }
  expect(levels[1]).toEqual({
    label: 'line 3',
    kind: 'closed-loop',
    concurrency: 4,
    ratePerS: null,
    achievedConcurrency: null,
    requestsPerS: 1.8,
    outputTokensPerS: 180,
    inputTokens: 1000,
    outputTokens: 100,
    requests: null,
    okFraction: null,
    thinkTimeS: 0,
    ttftMs: { ...unknown, mean: 500 },
    tpotMs: { ...unknown, mean: 21 },
    gapMs: { ...unknown, mean: 21 },
    e2eMs: unknown,
    batchLimit: null,
    server: null,
    errors: null,
    excluded: null,
  })
})

test('table: the order of rows and columns does not matter', () => {
  const options = { inputTokens: 1000, outputTokens: 100 }
  const unlabelled = (text: string) => read(text, options).levels.map((level) => ({ ...level, label: '' }))
  const rows = plain
    .trim()
    .split('\n')
    .map((line) => line.split(','))
  fc.assert(
    fc.property(
      fc.shuffledSubarray([1, 2, 3], { minLength: 3 }),
      fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }),
      (rowOrder, columnOrder) => {
        const shuffled = [0, ...rowOrder].map((row) =>
          columnOrder.map((column) => rows[row]?.[column]).join(','),
        )
        expect(unlabelled(shuffled.join('\n'))).toEqual(unlabelled(plain))
      },
    ),
  )
})

test('table: a row that repeats figures counts once, a second run of the same level counts too', () => {
  const { levels, notes } = read(`
    concurrency,ttft_ms,tpot_ms,run_id
    8,100,9.5856534381265,a
    8,100,9.585653438126501,b
    8,104,9.7,c
    1,50,5,a`)
  expect(levels.map((level) => [level.label, level.concurrency, level.tpotMs.mean])).toEqual([
    ['line 5', 1, 5],
    ['line 2', 8, 9.5856534381265],
    ['line 4', 8, 9.7],
  ])
  expect(notes.map(({ code, message }) => `${code}: ${message}`)).toEqual([
    'columns-ignored: columns that are not read: run_id',
    "duplicates-dropped: 1 row repeats another row's figures and counts once",
    "throughput-not-in-table: there is no throughput column: throughput follows from Little's law and the output length",
  ])
})

test('table: a table of arrival rates needs no TTFT and becomes open-loop levels', () => {
  const { levels, notes, violations } = read(
    'qps,n_requests,tpot_ms,itl_p99_ms\n1,24,6.53,9.53\n4,24,9.18,79.74',
  )
  expect({ notes, violations }).toEqual({ notes: [], violations: [] })
  expect(levels.map((level) => [level.kind, level.concurrency, level.ratePerS, level.requests])).toEqual([
    ['open-loop', null, 1, 24],
    ['open-loop', null, 4, 24],
  ])
  expect(levels[1]?.gapMs.p99).toBe(79.74)
})

test('table: token counts of the table win over the given ones, and a note says so', () => {
  const { levels, notes } = read('concurrency,ttft_ms,tpot_ms,req_s,osl\n1,50,5,1,90\n2,60,6,1.8,92', {
    outputTokens: 96,
  })
  expect(levels.map((level) => [level.outputTokens, level.outputTokensPerS])).toEqual([
    [90, 90],
    [92, 92 * 1.8],
  ])
  expect(notes.map((note) => note.code)).toEqual(['lengths-from-columns'])
})

test('table: without any output length, tokens per second over requests per second give it', () => {
  const [level] = read('concurrency,ttft_ms,tpot_ms,req_s,output_tok_s\n1,50,5,1.5,150').levels
  expect(level?.outputTokens).toBe(100)
  const [unknown] = read('concurrency,ttft_ms,tpot_ms,output_tok_s\n1,50,5,150').levels
  expect([unknown?.outputTokens, unknown?.requestsPerS]).toEqual([null, null])
})

test('table: a level whose answers were not as long as said is excluded, unless rounding explains it', () => {
  const header = 'concurrency,ttft_ms,tpot_ms,req_s,output_tok_s'
  const excluded = (cells: string) => read(`${header}\n${cells}`, { outputTokens: 100 }).levels[0]?.excluded
  expect(excluded('1,50,5,1.531,150')).toBeNull()
  expect(excluded('1,50,5,1.531,120.5')).toBe('output-length-differs')
  // 0.2 may be 0.15: 15 tokens/s over it are 100 tokens a request.
  expect(excluded('1,50,5,0.2,15.1')).toBeNull()
})

test('table: a header without rows, and more rows than a sweep has, are refused with their line', () => {
  expect(complaints('concurrency,ttft_ms,tpot_ms')).toEqual([
    'table-empty | line 2 | concurrency | has a header but no rows; add one row for each measured concurrency or rate',
  ])
  const table = tableOf('concurrency,ttft_ms,tpot_ms')
  const rows = (count: number) => ({
    ...table,
    rows: Array.from({ length: count }, (_, index) => ({
      line: index + 2,
      cells: [`${index + 1}`, '50', '5'],
    })),
  })
  const options = { inputTokens: null, outputTokens: null, curve: null, columns: [] }
  expect(readTable(rows(TABLE_ROWS_MAX), options).levels).toHaveLength(TABLE_ROWS_MAX)
  expect(readTable(rows(TABLE_ROWS_MAX + 1), options).violations).toEqual([
    {
      code: 'table-too-long',
      line: TABLE_ROWS_MAX + 2,
      column: null,
      message:
        'is row 10001, and at most 10000 are read; bring one row for each level, not one for each request',
    },
  ])
})
