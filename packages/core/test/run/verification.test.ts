import type { Recommendation } from '@loadcurve/core/capacity/recommendation'
import type { StepSummary } from '@loadcurve/core/metrics/step-summary'
import type { StepAttempt } from '@loadcurve/core/run/history'
import { promiseOf, withVerification } from '@loadcurve/core/run/verification'
import { expect, test } from 'vitest'

const bounded = (p50: number, p95: number) => ({ p50, p95, p95Bound: [p95 * 0.9, p95 * 1.1] })

const recommendation = {
  verdict: 'recommended',
  batch: { recommended: 12 },
  openLoop: {
    maxRequestsPerS: 7.5,
    predicted: { ttftMs: bounded(60, 200), tpotMs: bounded(18, 22) },
    verified: null,
  },
} as unknown as Recommendation

function verify(verdicts: readonly { verdict: string; moreRequests: number | null }[]): StepAttempt {
  return {
    ...{ step: 9, attempt: 1, state: 'finished', purpose: 'verify' },
    level: { batch: null, concurrency: null, ratePerS: 7.5 },
    summary: {
      level: { ratePerS: 7.5 },
      requests: { scheduled: 180 },
      requestsPerS: 7.4,
      outputTokensPerS: 480,
      concurrency: { decodeBatch: 9.1 },
      latency: { ttftScheduled: { n: 180, p50: 62, p95: 190 }, tpot: { n: 180, p50: 18.2, p95: 21 } },
      slo: verdicts,
      refusals: [],
    } as unknown as StepSummary,
  }
}

const verifiedBy = (...verdicts: Parameters<typeof verify>[0]) =>
  withVerification(recommendation, [verify(verdicts)]).openLoop?.verified

test('promise: the rate that the answer names; its batch only where the plan sets the server’s', () => {
  expect(promiseOf(recommendation, 'none')).toEqual({ ratePerS: 7.5, batch: null })
  expect(promiseOf(recommendation, 'server')).toEqual({ ratePerS: 7.5, batch: 12 })
  expect(promiseOf(recommendation, 'request')).toEqual({ ratePerS: 7.5, batch: null })
  expect(promiseOf({ ...recommendation, verdict: 'inconclusive' }, 'none')).toBeNull()
  expect(promiseOf({ ...recommendation, openLoop: null }, 'none')).toBeNull()
})

test('verification: predicted stands beside measured', () => {
  expect(verifiedBy({ verdict: 'met', moreRequests: null })).toMatchObject({
    step: 9,
    verdict: 'met',
    n: 180,
    requestsPerS: 7.5,
    completedPerS: 7.4,
    decodeBatch: 9.1,
    ttftMs: { n: 180, p50: 62, p95: 190, predicted: bounded(60, 200) },
    tpotMs: { n: 180, p50: 18.2, p95: 21, predicted: bounded(18, 22) },
  })
})

test('verification: one missed promise is missed, one undecided is undecided with the n that it needs', () => {
  const met = { verdict: 'met', moreRequests: null }
  expect(verifiedBy(met, { verdict: 'missed', moreRequests: null })).toMatchObject({ verdict: 'missed' })
  expect(
    verifiedBy(met, { verdict: 'undecided', moreRequests: 90 }, { verdict: 'undecided', moreRequests: 40 }),
  ).toMatchObject({ verdict: 'undecided', moreRequests: 90 })
  expect(verifiedBy()).toMatchObject({ verdict: 'met', moreRequests: null })
})

test('verification: without a measured verify step the answer stays as it is', () => {
  expect(withVerification(recommendation, [])).toBe(recommendation)
  const failed = { ...verify([]), state: 'failed', summary: null } as const
  expect(withVerification(recommendation, [failed])).toBe(recommendation)
})
