import { batchLevels, distinct } from '@loadcurve/core/load/step-level'
import { expect, test } from 'vitest'
import { sweepPlan } from './sweep-fixture.ts'

test('batch levels: those of the plan, once each, and none when the plan leaves the server alone', () => {
  expect(batchLevels(sweepPlan({ batch: { control: 'server', levels: [64, 8, 64] } }))).toEqual([8, 64])
  expect(batchLevels(sweepPlan({ batch: { control: 'none', levels: [8] } }))).toEqual([null])
  expect(distinct([3, 1, 3])).toEqual([1, 3])
})
