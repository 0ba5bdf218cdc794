import { expect, test } from 'vitest'
import { readSlo } from '../../src/fit/slo-option.ts'

test.each([
  ['ttft:p95<800', { metric: 'ttft', percentile: 95, maxMs: 800 }],
  ['tpot:mean<40', { metric: 'tpot', percentile: 'mean', maxMs: 40 }],
  ['TTFTscheduled : p99.9 <= 1.5s', { metric: 'ttftScheduled', percentile: 99.9, maxMs: 1500 }],
  ['gap:p50<12.5ms', { metric: 'gap', percentile: 50, maxMs: 12.5 }],
])('slo option: %s', (text, target) => {
  expect(readSlo(text)).toEqual(target)
})

test.each([
  ['ttft<800', 'must look like'],
  ['ttft:p95>800', 'must look like'],
  ['ttft:p95<-1', 'must look like'],
  ['ttft:p95<abc', 'must look like'],
  ['', 'must look like'],
  ['speed:p95<800', '"speed" is no metric; choose from ttft, '],
  ['itl:p95<40', 'a percentile of single gaps is "gap"'],
  ['ttft:p100<800', 'lies between p0 and p100, got p100'],
  ['ttft:p0<800', 'lies between p0 and p100, got p0'],
  ['ttft:p95<0', 'must be more than zero, got 0'],
])('slo option: "%s" is refused in words', (text, words) => {
  expect(readSlo(text)).toContain(words)
})
