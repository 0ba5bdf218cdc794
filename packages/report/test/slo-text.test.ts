import { limitText, sloText } from '@loadcurve/report/slo-text'
import { expect, test } from 'vitest'

test('slo text: a promise in words', () => {
  expect(sloText({ metric: 'ttft', percentile: 95, maxMs: 800 })).toBe('p95 TTFT under 800 ms')
  expect(sloText({ metric: 'tpot', percentile: 'mean', maxMs: 40 })).toBe('mean TPOT under 40 ms')
})

test.each([
  ['slo:tpot:95', 'the promise on p95 TPOT'],
  ['slo:tpot:p95', 'the promise on p95 TPOT'],
  ['slo:gap:mean', 'the promise on mean token gap'],
  ['kv-memory', 'memory: more sequences do not fit in the KV cache'],
  ['throughput-onset', 'throughput: a larger batch gives less than 2 % more'],
  ['measured-range', 'the measured range: larger batches were not measured'],
])('slo text: %s in words', (limitedBy, words) => {
  expect(limitText(limitedBy)).toBe(words)
})
