import type { StepSummary } from '@loadcurve/core/metrics/step-summary'
import { driftOf } from '@loadcurve/core/run/drift'
import type { StepAttempt } from '@loadcurve/core/run/history'
import { expect, test } from 'vitest'

const anchor = (step: number, tokensPerS: number, tpotMs: number, relativeError = 0.001): StepAttempt => ({
  ...{ step, attempt: 1, state: 'finished', purpose: 'anchor' },
  level: { batch: null, concurrency: 8, ratePerS: null },
  summary: {
    outputTokensPerS: tokensPerS,
    latency: { tpot: { mean: tpotMs } },
    relativeErrors: { outputTokensPerS: relativeError, tpot: relativeError },
  } as unknown as StepSummary,
})

test('drift: more than five percent between the anchors, and more than chance explains', () => {
  expect(driftOf([anchor(0, 100, 20), anchor(9, 104, 20)])).toEqual({
    outputTokensPerSFraction: expect.closeTo(0.04, 10),
    tpotFraction: 0,
    isDrifting: false,
  })
  expect(driftOf([anchor(0, 100, 20), anchor(9, 94, 20)])?.isDrifting).toBe(true)
  expect(driftOf([anchor(0, 100, 20), anchor(9, 100, 21.2)])?.isDrifting).toBe(true)
  // 3 * sqrt(0.02^2 + 0.02^2) = 8.5 %: the same six percent is chance when the readings are this uncertain.
  expect(driftOf([anchor(0, 100, 20, 0.02), anchor(9, 94, 20, 0.02)])?.isDrifting).toBe(false)
})

test('drift: one anchor says nothing', () => {
  expect(driftOf([])).toBeNull()
  expect(driftOf([anchor(0, 100, 20)])).toBeNull()
  expect(driftOf([anchor(0, 100, 20), { ...anchor(9, 10, 20), state: 'failed', summary: null }])).toBeNull()
})
