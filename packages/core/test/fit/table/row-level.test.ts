import type { Field } from '@loadcurve/core/fit/table/column'
import { levelOf } from '@loadcurve/core/fit/table/row-level'
import { expect, test } from 'vitest'

const level = (values: Partial<Record<Field, number>>, outputTokens: number | null = null) =>
  levelOf(
    { line: 9, values: new Map(Object.entries(values) as [Field, number][]) },
    { inputTokens: null, outputTokens },
  )

test('row level: requests, tokens and the output length follow from one another by definition', () => {
  const rates = (found: ReturnType<typeof level>) => [
    found.requestsPerS,
    found.outputTokensPerS,
    found.outputTokens,
  ]
  expect(rates(level({ concurrency: 1, requestsPerS: 2 }, 100))).toEqual([2, 200, 100])
  expect(rates(level({ concurrency: 1, outputTokensPerS: 200 }, 100))).toEqual([2, 200, 100])
  expect(rates(level({ concurrency: 1, outputTokensPerS: 200, requestsPerS: 2 }))).toEqual([2, 200, 100])
})

test('row level: throughput that the table does not carry stays null', () => {
  expect(level({ concurrency: 4, 'ttft.mean': 100, 'tpot.mean': 10 }, 100)).toMatchObject({
    requestsPerS: null,
    outputTokensPerS: null,
    outputTokens: 100,
  })
})

test('row level: a concurrency makes it closed loop, a rate open loop', () => {
  expect(level({ concurrency: 4 })).toMatchObject({ label: 'line 9', kind: 'closed-loop', ratePerS: null })
  expect(level({ ratePerS: 4 })).toMatchObject({ kind: 'open-loop', concurrency: null, ratePerS: 4 })
})

test('row level: percentiles go to their own column', () => {
  const found = level({
    concurrency: 1,
    'ttft.p95': 1,
    'tpot.p50': 2,
    'gap.p99': 3,
    'e2e.p90': 4,
    okFraction: 0.99,
  })
  expect([found.ttftMs.p95, found.tpotMs.p50, found.gapMs.p99, found.e2eMs.p90, found.okFraction]).toEqual([
    1, 2, 3, 4, 0.99,
  ])
  expect(found.ttftMs.mean).toBeNull()
})
