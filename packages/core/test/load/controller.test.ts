import { mayMeasureBetween, nextStep } from '@loadcurve/core/load/controller'
import type { FinishedStep } from '@loadcurve/core/load/step-level'
import { describe, expect, test } from 'vitest'
import { measured, runSweep, sweepPlan } from './sweep-fixture.ts'

const roomy = { capacity: 1000, sloAt: 1000 }

describe('controller', () => {
  test('the reducer forgets nothing and remembers nothing: asked again, it answers the same', () => {
    const plan = sweepPlan({ mode: 'adaptive' })
    const { finished } = runSweep(plan, { capacity: 40, sloAt: 90 })
    for (let done = 0; done < finished.length; done++) {
      const next = nextStep({ plan, finished: finished.slice(0, done) })
      expect(next).toMatchObject({ level: finished[done]?.level, purpose: finished[done]?.purpose })
    }
  })

  test('verify: one open-loop step at the promised rate comes last, once', () => {
    const { finished, reason } = runSweep(sweepPlan({ verify: true }), roomy)
    expect(reason).toBe('sweep-complete')
    expect(finished.filter((step) => step.purpose === 'verify')).toHaveLength(1)
    expect(finished.at(-1)?.level).toEqual({ batch: null, concurrency: null, ratePerS: 3 })
  })

  test('verify: a fit that promises nothing leaves nothing to verify', () => {
    const plan = sweepPlan({ verify: true, concurrency: [1] })
    const { finished } = runSweep(sweepPlan({ concurrency: [1] }), roomy)
    expect(nextStep({ plan, finished, promise: () => null })).toEqual({
      kind: 'done',
      reason: 'sweep-complete',
    })
  })

  test('the promise is not computed while the sweep goes on', () => {
    const promise = () => {
      throw new Error('too early')
    }
    expect(nextStep({ plan: sweepPlan({ verify: true }), finished: [], promise }).kind).toBe('measure')
  })

  describe('levels between', () => {
    const plan = sweepPlan({ verify: true, furtherLevels: 2 })
    const swept = runSweep(sweepPlan({}), roomy).finished
    const add = (done: FinishedStep[], concurrency: number) => [
      ...done,
      measured({ level: { batch: null, concurrency, ratePerS: null }, purpose: 'between' }, roomy),
    ]
    const promise = () => ({ ratePerS: 3, batch: null })

    test('what the answer finds missing is measured after the sweep and before the verify step', () => {
      expect(nextStep({ plan, finished: swept, wanted: () => 42, promise })).toEqual({
        kind: 'measure',
        purpose: 'between',
        level: { batch: null, concurrency: 42, ratePerS: null },
      })
      expect(nextStep({ plan, finished: add(swept, 42), promise })).toMatchObject({ purpose: 'verify' })
    })

    test('not more of them than the plan allows, and none twice', () => {
      const two = add(add(swept, 42), 50)
      expect(nextStep({ plan, finished: two, wanted: () => 55, promise })).toMatchObject({
        purpose: 'verify',
      })
      const one = add(swept, 42)
      expect(nextStep({ plan, finished: one, wanted: () => 42, promise })).toMatchObject({
        purpose: 'verify',
      })
      expect(nextStep({ plan, finished: one, wanted: () => 50, promise })).toMatchObject({
        purpose: 'between',
      })
    })

    test('never where the plan wants none, where requests carry several prompts, or after the verify step', () => {
      const none = sweepPlan({ verify: true, furtherLevels: 0 })
      expect(mayMeasureBetween(none, swept, 42)).toBe(false)
      const prompts = sweepPlan({ batch: { control: 'request', levels: [1, 2] } })
      expect(mayMeasureBetween(prompts, swept, 42)).toBe(false)
      const verify = { level: { batch: null, concurrency: null, ratePerS: 3 }, purpose: 'verify' as const }
      const finished = [...swept, measured(verify, roomy)]
      expect(nextStep({ plan, finished, wanted: () => 42, promise })).toEqual({
        kind: 'done',
        reason: 'sweep-complete',
      })
    })

    test('where the plan steps the batch limit, the level is measured at the largest', () => {
      const stepped = sweepPlan({ batch: { control: 'server', levels: [64, 16] } })
      const { finished } = runSweep(stepped, roomy)
      expect(nextStep({ plan: stepped, finished, wanted: () => 42 })).toMatchObject({
        level: { batch: 64, concurrency: 42 },
      })
    })

    test('an adaptive sweep is not led astray by them', () => {
      const adaptive = sweepPlan({ mode: 'adaptive' })
      const { finished } = runSweep(adaptive, { capacity: 40, sloAt: 90 })
      expect(nextStep({ plan: adaptive, finished: add(finished, 42) })).toMatchObject({ kind: 'done' })
    })
  })

  test.each([
    [{ maxRequests: 250, maxOutputTokens: 1e9, maxDurationS: 1e5 }, 'budget-requests'],
    [{ maxRequests: 1e6, maxOutputTokens: 25_000, maxDurationS: 1e5 }, 'budget-output-tokens'],
    [{ maxRequests: 1e6, maxOutputTokens: 1e9, maxDurationS: 45 }, 'budget-duration'],
  ])('a spent budget %j ends the run after the step that spent it', (limits, reason) => {
    const run = runSweep(sweepPlan({}, { limits }), roomy)
    expect(run.reason).toBe(reason)
    expect(run.finished).toHaveLength(3)
  })
})
