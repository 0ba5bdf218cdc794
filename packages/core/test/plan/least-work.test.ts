import { countLevels, leastWork } from '@loadcurve/core/plan/least-work'
import { resolvePlan } from '@loadcurve/core/plan/resolve'
import type { PlanInput } from '@loadcurve/core/plan/schema'
import { expect, test } from 'vitest'

const plan = (parts: Partial<PlanInput>) =>
  resolvePlan({ name: 'n', target: { baseUrl: 'http://127.0.0.1/', model: 'm' }, ...parts })

test('least work: every step as short as it may be', () => {
  const sweep = { concurrency: [1, 2], ratesPerS: [3], step: { minRequests: 10, minDurationS: 4 } }
  expect(leastWork(plan({ sweep, workload: { outputTokens: { mean: 7 } } }))).toEqual({
    steps: 3,
    requests: 30,
    outputTokens: 210,
    durationS: 12,
  })
})

test('least work: lengths of a data set are not known beforehand', () => {
  expect(leastWork(plan({ workload: { dataset: { file: 'a.jsonl' } } })).outputTokens).toBe(0)
})

test('levels: batch levels multiply; an adaptive search may end after four doublings', () => {
  const batch = { control: 'server' as const, levels: [4, 8] }
  expect(countLevels(plan({ sweep: { concurrency: [1, 2, 3], batch } }))).toEqual({
    certain: 6,
    likely: 6,
    extra: 2,
  })
  const adaptive = { start: 1, concurrencyMax: 256, refineLevels: 3 }
  expect(countLevels(plan({ sweep: { mode: 'adaptive', adaptive, verify: false } }))).toEqual({
    certain: 4,
    likely: 12,
    extra: 1,
  })
  expect(
    countLevels(plan({ sweep: { mode: 'adaptive', adaptive: { ...adaptive, concurrencyMax: 2 } } })).certain,
  ).toBe(2)
})
