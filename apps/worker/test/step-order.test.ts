import { resolvePlan } from '@loadcurve/core/plan/resolve'
import { shardsFor, stepOrder } from '@loadcurve/worker/step-order'
import { expect, test } from 'vitest'

const plan = resolvePlan({ name: 'p', target: { baseUrl: 'http://127.0.0.1:9/v1', model: 'm' } })
const closed = (concurrency: number, batch: number | null = null) => ({ batch, concurrency, ratePerS: null })
const length = {
  ...{ warmupMs: 2000, warmupMaxMs: 5000, warmupRequests: 9, windowMs: 10_000, windowMaxMs: 60_000 },
  ...{ requestsMin: 60, drainMaxMs: 60_000, staggerMs: 1500 },
}
const order = (part: Partial<Parameters<typeof stepOrder>[0]>) =>
  stepOrder({
    ...{ plan, level: closed(9), step: 0, length, shards: 2, promptCalibration: null },
    policy: { allowList: '', ownEndpoints: [] },
    ...part,
  })

test('step order: counts are shared by the shards, and together are not fewer than asked', () => {
  const { window, inFlightMax } = order({})
  expect(window.requestsMin * 2).toBe(60)
  expect(window.warmup.endedMin * 2).toBeGreaterThanOrEqual(9)
  expect(inFlightMax).toBe(2048)
})

test('step order: prompts per request only where the plan steps them', () => {
  expect(order({ level: closed(9, 4) }).sequencesPerRequest).toBe(1)
  const asked = {
    ...plan,
    sweep: { ...plan.sweep, batch: { ...plan.sweep.batch, control: 'request' as const } },
  }
  expect(order({ plan: asked, level: closed(9, 4) }).sequencesPerRequest).toBe(4)
})

test('step order: each step draws for itself, and the same step of the same plan draws the same', () => {
  expect(order({ step: 3 }).seed).toBe(order({ step: 3 }).seed)
  expect(order({ step: 3 }).seed).not.toBe(order({ step: 4 }).seed)
  expect(order({ plan: { ...plan, seed: 2 }, step: 0 }).seed).not.toBe(order({ step: 1 }).seed)
})

test('shards: never more than there are requests to keep in flight, never none', () => {
  expect(shardsFor(closed(1), 8)).toBe(1)
  expect(shardsFor(closed(5), 8)).toBe(5)
  expect(shardsFor(closed(500), 8)).toBe(8)
  expect(shardsFor({ batch: null, concurrency: null, ratePerS: 3 }, 8)).toBe(8)
})
