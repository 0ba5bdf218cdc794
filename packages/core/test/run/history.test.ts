import type { StepSummary } from '@loadcurve/core/metrics/step-summary'
import {
  ATTEMPTS_MAX,
  FAILURES_MAX,
  finishedSteps,
  measuredResidences,
  openAttempts,
  type StepAttempt,
} from '@loadcurve/core/run/history'
import { expect, test } from 'vitest'

const level = { batch: null, concurrency: 8, ratePerS: null }

function summary(
  verdicts: readonly ('met' | 'missed' | 'undecided')[],
  e2eMs: number | null = 2000,
): StepSummary {
  return {
    requests: { scheduled: 60, unmeasured: 15 },
    wholeRun: { durationS: 20, requests: 75, outputTokensPerS: 100 },
    outputTokensPerS: 110,
    requestsPerS: 4,
    slo: verdicts.map((verdict) => ({ verdict })),
    latency: { e2e: { mean: e2eMs } },
  } as unknown as StepSummary
}

const attempt = (
  step: number,
  number: number,
  state: StepAttempt['state'],
  met = summary(['met']),
): StepAttempt => ({
  ...{ step, attempt: number, state, purpose: 'grid', level },
  summary: state === 'finished' ? met : null,
})

test('history: a repeated step counts once, with what its last attempt measured', () => {
  const steps = finishedSteps([
    attempt(0, 1, 'abandoned'),
    attempt(0, 2, 'failed'),
    attempt(0, 3, 'finished'),
    attempt(1, 1, 'finished', summary(['met', 'missed'])),
  ])
  const figures = {
    requests: 75,
    outputTokens: 2000,
    durationS: 20,
    outputTokensPerS: 110,
    outcome: 'measured',
  }
  expect(steps).toEqual([
    { level, purpose: 'grid', sloMet: true, ...figures },
    { level, purpose: 'grid', sloMet: false, ...figures },
  ])
})

test('history: a step is given up after three failures, or ten attempts of any kind', () => {
  const failures = (count: number) => Array.from({ length: count }, (_, n) => attempt(0, n + 1, 'failed'))
  expect(finishedSteps(failures(FAILURES_MAX - 1))).toEqual([])
  expect(finishedSteps(failures(FAILURES_MAX))).toMatchObject([
    { outcome: 'failed', sloMet: null, requests: 0 },
  ])
  const abandoned = (count: number) => Array.from({ length: count }, (_, n) => attempt(0, n + 1, 'abandoned'))
  expect(finishedSteps(abandoned(ATTEMPTS_MAX - 1))).toEqual([])
  expect(finishedSteps(abandoned(ATTEMPTS_MAX))).toMatchObject([{ outcome: 'failed' }])
  // The last attempt may still succeed.
  expect(finishedSteps([...failures(FAILURES_MAX), attempt(0, 4, 'running')])).toEqual([])
})

test('history: undecided is neither kept nor missed, and no promise is no verdict', () => {
  const sloMet = (verdicts: Parameters<typeof summary>[0]) =>
    finishedSteps([attempt(0, 1, 'finished', summary(verdicts))])[0]?.sloMet
  expect(sloMet(['met', 'undecided'])).toBeNull()
  expect(sloMet(['undecided', 'missed'])).toBe(false)
  expect(sloMet([])).toBeNull()
})

test('history: open attempts and residences are those of running and of finished ones', () => {
  const attempts = [
    attempt(0, 1, 'finished'),
    attempt(1, 1, 'finished', summary([], null)),
    attempt(2, 1, 'failed'),
    attempt(3, 1, 'running'),
  ]
  expect(openAttempts(attempts)).toEqual([attempts[3]])
  expect(measuredResidences(attempts)).toEqual([{ level, residenceMs: 2000, requestsPerS: 4 }])
})
