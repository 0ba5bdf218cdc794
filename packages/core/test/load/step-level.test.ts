import { nextStep } from '@loadcurve/core/load/controller'
import { batchLevels, distinct } from '@loadcurve/core/load/step-level'
import { resolvePlan } from '@loadcurve/core/plan/resolve'
import type { PlanInput } from '@loadcurve/core/plan/schema'
import { expect, test } from 'vitest'
import { sweepPlan } from './sweep-fixture.ts'

test('batch levels: those of the plan, once each, and none when the plan leaves the server alone', () => {
  expect(batchLevels(sweepPlan({ batch: { control: 'server', levels: [64, 8, 64] } }))).toEqual([8, 64])
  expect(batchLevels(sweepPlan({ batch: { control: 'none', levels: [8] } }))).toEqual([null])
  expect(distinct([3, 1, 3])).toEqual([1, 3])
})

test('a resolved plan is a sweep plan', () => {
  const plan = resolvePlan({ target: { baseUrl: 'http://127.0.0.1:1/v1', model: 'm' } } as PlanInput)
  const next = nextStep({ plan, finished: [] })
  expect(next).toEqual({
    kind: 'measure',
    purpose: 'anchor',
    level: { batch: null, concurrency: 8, ratePerS: null },
  })
})
