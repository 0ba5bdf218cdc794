import {
  PlanResource,
  pageOf,
  RunResource,
  ScheduleResource,
  StepResource,
} from '@loadcurve/core/run/resources'
import { Value } from 'typebox/value'
import { expect, test } from 'vitest'

const step = {
  step: 0,
  attempt: 1,
  purpose: 'grid',
  level: { batch: null, concurrency: 8, ratePerS: null },
  shardsCount: 1,
  state: 'finished',
  summary: { any: 'thing' },
  predicted: null,
  excluded: null,
  reason: null,
  message: null,
  startAt: '2026-01-01T00:00:00.000Z',
  finishedAt: null,
}

test('resources: a step with unknown values as null is valid, one without them is not', () => {
  expect(Value.Check(StepResource, step)).toBe(true)
  const { excluded: _, ...incomplete } = step
  expect(Value.Check(StepResource, incomplete)).toBe(false)
  expect(Value.Check(StepResource, { ...step, purpose: 'guess' })).toBe(false)
})

test('resources: unknown fields are refused, so that OpenAPI tells the whole shape', () => {
  expect(Value.Check(StepResource, { ...step, extra: 1 })).toBe(false)
  for (const resource of [PlanResource, RunResource, StepResource, ScheduleResource]) {
    expect(resource).toMatchObject({ additionalProperties: false })
  }
})

test('resources: a page holds items and a cursor that is null at the end', () => {
  const page = pageOf(StepResource)
  expect(Value.Check(page, { items: [step], nextCursor: null })).toBe(true)
  expect(Value.Check(page, { items: [step] })).toBe(false)
})
