/**
 * The step controller: which level is measured next. A pure reducer over the finished steps. It keeps no state of its
 * own, so a conductor may crash between any two steps, read the finished ones back and ask again.
 *
 * Order: the sweep (grid or adaptive), then one open-loop step that verifies what the fit promises. Every run ends:
 * by its sweep, by its budgets, or by the bound on the number of steps.
 */
import { adaptiveStep } from './adaptive-sweep.ts'
import { gridSteps } from './grid-sweep.ts'
import type { FinishedStep, PlannedStep, SweepPlan } from './step-level.ts'

/** No plan that people write has more; an adaptive sweep that somehow never converges ends here. */
export const STEPS_MAX = 1000

export type NextStep =
  | ({ readonly kind: 'measure' } & PlannedStep)
  | { readonly kind: 'done'; readonly reason: DoneReason }

export type DoneReason =
  | 'sweep-complete'
  | 'budget-requests'
  | 'budget-output-tokens'
  | 'budget-duration'
  | 'steps-max'

/** The promise that a verify step tries out: the rate that one replica may take, at the batch limit recommended. */
export interface CapacityPromise {
  readonly ratePerS: number
  readonly batch: number | null
}

/**
 * What a run does next.
 *
 * @param plan resolved plan
 * @param finished steps that are over, in the order in which they were measured; a repeated attempt counts once
 * @param promise what the fit of these steps promises, or null when it promises nothing; asked only when the sweep is
 *   over and the plan wants it verified, since fitting costs time
 */
export function nextStep({
  plan,
  finished,
  promise = () => null,
}: {
  readonly plan: SweepPlan
  readonly finished: readonly FinishedStep[]
  readonly promise?: () => CapacityPromise | null
}): NextStep {
  const stop = budgetSpent(plan, finished)
  if (stop !== null) return { kind: 'done', reason: stop }
  const swept = finished.filter((step) => step.purpose !== 'verify')
  const next = plan.sweep.mode === 'grid' ? gridSteps(plan)[swept.length] : adaptiveStep(plan, swept)
  if (next !== undefined && next !== null) return { kind: 'measure', ...next }
  const verified = swept.length < finished.length
  const promised = plan.sweep.verify && !verified ? promise() : null
  if (promised === null) return { kind: 'done', reason: 'sweep-complete' }
  const level = { batch: promised.batch, concurrency: null, ratePerS: promised.ratePerS }
  return { kind: 'measure', purpose: 'verify', level }
}

function budgetSpent({ limits }: SweepPlan, finished: readonly FinishedStep[]): DoneReason | null {
  const total = (part: (step: FinishedStep) => number): number =>
    finished.reduce((sum, step) => sum + part(step), 0)
  if (finished.length >= STEPS_MAX) return 'steps-max'
  if (total((step) => step.requests) >= limits.maxRequests) return 'budget-requests'
  if (total((step) => step.outputTokens) >= limits.maxOutputTokens) return 'budget-output-tokens'
  if (total((step) => step.durationS) >= limits.maxDurationS) return 'budget-duration'
  return null
}
