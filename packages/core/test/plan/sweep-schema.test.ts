import { SweepInputSchema } from '@loadcurve/core/plan/sweep-schema'
import { Value } from 'typebox/value'
import { expect, test } from 'vitest'

const fits = (sweep: unknown) => Value.Check(SweepInputSchema, sweep)

test('sweep schema: levels are positive, distinct and at most a hundred', () => {
  expect(fits({ concurrency: [1, 2], ratesPerS: [0.25] })).toBe(true)
  for (const concurrency of [
    [0],
    [1.5],
    [1, 1],
    [10_001],
    Array.from({ length: 101 }, (_, index) => index + 1),
  ]) {
    expect(fits({ concurrency })).toBe(false)
  }
  expect(fits({ ratesPerS: [0] })).toBe(false)
})

test('sweep schema: the documented defaults of a step', () => {
  expect(Value.Default(SweepInputSchema, {})).toMatchObject({
    mode: 'grid',
    order: 'shuffled',
    verify: true,
    step: { residences: 5, minDurationS: 10, maxDurationS: 300, minRequests: 60 },
    batch: { control: 'none', levels: [], controlBody: { max_num_seqs: '{batch}' } },
    adaptive: { gainFraction: 0.05 },
  })
})
