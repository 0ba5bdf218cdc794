/**
 * What a run has behind it, told from its stored attempts: the steps that are over, for the controller, and the one
 * that has to be begun or repeated. It is read anew after every step, so a conductor that takes over knows exactly
 * what its predecessor knew.
 */
import type { FinishedStep, PlannedStep } from '../load/step-level.ts'
import type { StepSummary } from '../metrics/step-summary.ts'
import type { StepState } from './state.ts'
import type { MeasuredResidence } from './step-length.ts'

export interface StepAttempt extends PlannedStep {
  /** 0, 1, 2, ...: the place of the step in the run. */
  readonly step: number
  readonly attempt: number
  readonly state: StepState
  readonly summary: StepSummary | null
}

/** A step that failed this often is given up, and named. */
export const FAILURES_MAX = 3
/** Conductors may also come and go without end: then something kills them, most likely this step. */
export const ATTEMPTS_MAX = 10

/** The steps that are over, in the order in which they were measured; a repeated one counts once. */
export function finishedSteps(attempts: readonly StepAttempt[]): FinishedStep[] {
  return stepsOf(attempts).flatMap((step) => {
    const measured = step.find(({ state }) => state === 'finished')
    if (measured?.summary) return [measuredStep(measured, measured.summary)]
    return isGivenUp(step) ? [failedStep(step)] : []
  })
}

/** The attempts whose conductor went away: to be closed before anything else is measured. */
export function openAttempts(attempts: readonly StepAttempt[]): StepAttempt[] {
  return attempts.filter(({ state }) => state === 'running')
}

/** The measured steps, with their residences: what the length of the next step is guessed from. */
export function measuredResidences(attempts: readonly StepAttempt[]): MeasuredResidence[] {
  return attempts.flatMap(({ level, state, summary }) => {
    const residenceMs = summary?.latency.e2e.mean ?? null
    if (state !== 'finished' || summary === null || residenceMs === null || residenceMs <= 0) return []
    return [{ level, residenceMs, requestsPerS: summary.requestsPerS }]
  })
}

function stepsOf(attempts: readonly StepAttempt[]): StepAttempt[][] {
  const steps = new Map<number, StepAttempt[]>()
  for (const attempt of attempts) steps.set(attempt.step, [...(steps.get(attempt.step) ?? []), attempt])
  return [...steps.entries()].sort(([left], [right]) => left - right).map(([, step]) => step)
}

function isGivenUp(step: readonly StepAttempt[]): boolean {
  if (step.some(({ state }) => state === 'running')) return false
  const failures = step.filter(({ state }) => state === 'failed').length
  return failures >= FAILURES_MAX || step.length >= ATTEMPTS_MAX
}

function measuredStep({ level, purpose }: PlannedStep, summary: StepSummary): FinishedStep {
  const { requests, wholeRun, slo, outputTokensPerS } = summary
  return {
    level,
    purpose,
    outcome: 'measured',
    outputTokensPerS,
    sloMet: sloMet(slo),
    requests: requests.scheduled + requests.unmeasured,
    outputTokens: (wholeRun.outputTokensPerS ?? 0) * wholeRun.durationS,
    durationS: wholeRun.durationS,
  }
}

function sloMet(verdicts: StepSummary['slo']): boolean | null {
  if (verdicts.some(({ verdict }) => verdict === 'missed')) return false
  if (verdicts.length === 0 || verdicts.some(({ verdict }) => verdict === 'undecided')) return null
  return true
}

function failedStep([first]: readonly StepAttempt[]): FinishedStep {
  if (first === undefined) throw new Error('a step has at least one attempt')
  const { level, purpose } = first
  return {
    ...{ level, purpose, outcome: 'failed', outputTokensPerS: null, sloMet: null },
    ...{ requests: 0, outputTokens: 0, durationS: 0 },
  }
}
