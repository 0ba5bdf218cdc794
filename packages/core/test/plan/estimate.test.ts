import { estimatePlan } from '@loadcurve/core/plan/estimate'
import { resolvePlan } from '@loadcurve/core/plan/resolve'
import type { PlanInput } from '@loadcurve/core/plan/schema'
import { expect, test } from 'vitest'

const estimate = (parts: Partial<PlanInput>) =>
  estimatePlan(resolvePlan({ name: 'n', target: { baseUrl: 'http://127.0.0.1/', model: 'm' }, ...parts }))

// TTFT 1 s, then 100 tokens at 10 ms: a request lasts 1.99 s.
const slo = [
  { metric: 'ttft' as const, percentile: 95, maxMs: 1_000 },
  { metric: 'tpot' as const, percentile: 95, maxMs: 10 },
]
const workload = { inputTokens: { mean: 50 }, outputTokens: { mean: 100 } }
const step = { residences: 5, minDurationS: 10, maxDurationS: 300, minRequests: 1, warmupResidences: 1 }
const sweep = { concurrency: [10], repeatAnchor: false, verify: false, step }

test('estimate: one closed-loop level by hand', () => {
  // Window max(10, 5*1.99) = 10 s, warm-up and tail 1.99 s each: 13.98 s at 10/1.99 requests/s.
  const found = estimate({ slo, workload, sweep })
  expect(found).toMatchObject({
    steps: 1,
    requests: 71,
    inputTokens: 3_550,
    outputTokens: 7_100,
    minutes: 0.2,
  })
  expect(found.exceeds).toEqual([])
})

test('estimate: one open-loop level by hand', () => {
  const found = estimate({ slo, workload, sweep: { ...sweep, concurrency: [], ratesPerS: [2] } })
  expect(found.requests).toBe(Math.ceil(2 * 13.98))
})

test('estimate: the window grows until it holds its requests, up to the cap', () => {
  const found = estimate({ slo, workload, sweep: { ...sweep, step: { ...step, minRequests: 1_000 } } })
  expect(found.minutes).toBeCloseTo((199 + 2 * 1.99) / 60, 1)
  const capped = estimate({ slo, workload, sweep: { ...sweep, step: { ...step, minRequests: 100_000 } } })
  expect(capped.minutes).toBeCloseTo((300 + 2 * 1.99) / 60, 1)
})

test('estimate: batch levels multiply, the anchor and the verification come on top', () => {
  const batch = { control: 'server' as const, levels: [8, 16, 32] }
  const found = estimate({ slo, workload, sweep: { ...sweep, concurrency: [1, 2], batch } })
  expect(found.steps).toBe(6)
  expect(found.assumptions.join(' ')).toContain('restart is not counted')
  expect(estimate({ sweep: { concurrency: [1, 2] } }).steps).toBe(4)
})

test('estimate: an adaptive search is counted up to its bound', () => {
  const adaptive = { start: 1, concurrencyMax: 64, refineLevels: 2 }
  const found = estimate({ slo, workload, sweep: { ...sweep, mode: 'adaptive', concurrency: [], adaptive } })
  expect(found.steps).toBe(7 + 2)
})

test('estimate: budgets that it exceeds are named', () => {
  const limits = { maxRequests: 70, maxOutputTokens: 7_099, maxDurationS: 13 }
  expect(estimate({ slo, workload, sweep, limits }).exceeds).toEqual([
    'maxRequests',
    'maxOutputTokens',
    'maxDurationS',
  ])
})

test('estimate: what is assumed is said', () => {
  expect(estimate({ slo: [], workload }).assumptions[0]).toContain('TTFT 500 ms, TPOT 30 ms')
  expect(estimate({ slo, workload, sweep }).assumptions[0]).toContain('2.0 s (TTFT 1000 ms, TPOT 10 ms)')
  const dataset = { file: 'a.jsonl', format: 'messages' as const, order: 'shuffled' as const }
  expect(estimate({ workload: { dataset } }).assumptions.join(' ')).toContain('data set')
})
