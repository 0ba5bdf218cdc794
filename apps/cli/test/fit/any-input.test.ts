import { readTable, type TableReading } from '@loadcurve/core/fit/table'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvTable } from '../../src/fit/csv-table.ts'

function read(bytes: Uint8Array): TableReading {
  const { table, violations } = csvTable(bytes)
  const options = { inputTokens: null, outputTokens: 100, curve: null, columns: [] }
  return table === null ? { levels: [], notes: [], violations } : readTable(table, options)
}

/** Either levels with usable figures, or violations that say where. */
function expectAnOutcome({ levels, violations }: TableReading): void {
  expect(levels.length === 0).toBe(violations.length > 0)
  for (const { ttftMs, tpotMs, gapMs, e2eMs, concurrency, ratePerS, requestsPerS } of levels) {
    const columns = [ttftMs, tpotMs, gapMs, e2eMs].flatMap((column) => Object.values(column))
    const figures = [...columns, concurrency, ratePerS, requestsPerS].filter((figure) => figure !== null)
    expect(figures.every((figure) => Number.isFinite(figure) && figure > 0)).toBe(true)
  }
  for (const { message, line } of violations) {
    expect(message).not.toBe('')
    expect(line === null || line >= 1).toBe(true)
  }
}

test('any input: whatever the bytes are, they are levels or violations, never an exception', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => expectAnOutcome(read(bytes))))
})

test('any input: whatever stands in the cells of a table, it is levels or violations', () => {
  const heading = fc.constantFrom(
    'concurrency',
    'qps',
    'ttft_ms',
    'itl_ms',
    'tpot_p95_ms',
    'req_s',
    'isl',
    'note',
    '',
  )
  const cell = fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 500 }).map(String) },
    fc.double().map(String),
    fc.constantFrom('', 'NaN', '-1', '0', '"', '#', ';', '1e400', ' 5 ', '5,5', '\ufeff'),
  )
  const line = <T>(item: fc.Arbitrary<T>) => fc.array(item, { maxLength: 6 }).map((cells) => cells.join(','))
  const text = fc
    .tuple(line(heading), fc.array(line(cell), { maxLength: 8 }))
    .map(([header, rows]) => [header, ...rows].join('\n'))
  fc.assert(
    fc.property(text, (csv) => expectAnOutcome(read(new TextEncoder().encode(csv)))),
    { numRuns: 500 },
  )
})
