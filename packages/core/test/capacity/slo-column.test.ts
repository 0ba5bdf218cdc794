import { expect, test } from 'vitest'
import { sloName, sloValue } from '../../src/capacity/slo-column.ts'
import { latency, levelWith } from '../measured.ts'

const level = levelWith({
  ttftMs: latency({ mean: 1, p50: 2, p95: 4 }),
  tpotMs: latency({ mean: 5, p90: 6, p99: 8 }),
  e2eMs: latency({ p95: 9 }),
})

test('slo column: names as options write them', () => {
  expect(sloName({ metric: 'tpot', percentile: 'mean', maxMs: 1 })).toBe('tpot:mean')
  expect(sloName({ metric: 'ttft', percentile: 95, maxMs: 1 })).toBe('ttft:p95')
})

test('slo column: each metric and statistic has its own column, and no other stands in', () => {
  const value = (metric: Parameters<typeof sloValue>[1]['metric'], percentile: number | 'mean') =>
    sloValue(level, { metric, percentile, maxMs: 1 })
  expect(value('ttft', 'mean')).toBe(1)
  expect(value('ttftScheduled', 95)).toBe(4)
  expect(value('ttft', 90)).toBeNull()
  expect(value('tpot', 90)).toBe(6)
  expect(value('tpot', 99)).toBe(8)
  expect(value('tpot', 97)).toBeNull()
  expect(value('e2e', 95)).toBe(9)
  expect(value('gap', 95)).toBeNull()
  expect(value('validJson', 95)).toBeNull()
})
