import { nextStep } from '@loadcurve/core/load/controller'
import { describe, expect, test } from 'vitest'
import { runSweep, sweepPlan } from './sweep-fixture.ts'

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
