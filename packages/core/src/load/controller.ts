/**
 * The step controller: which level is measured next. A pure reducer over the finished steps. It keeps no state of its
 * own, so a conductor may crash between any two steps, read the finished ones back and ask again.
 *
 * Order: the sweep (grid or adaptive), then the levels that its answer finds missing, then one open-loop step that
 * verifies what the fit promises. Every run ends: by its sweep, by its budgets, or by the bound on the number of steps.
 */
import { adaptiveStep } from './adaptive-sweep.ts'
import { gridSteps } from './grid-sweep.ts'
import { batchLevels, type FinishedStep, type PlannedStep, type SweepPlan } from './step-level.ts'

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
 * @param wanted the concurrency of a level that the answer of these steps finds missing, or null; asked only when the
 *   sweep is over, since answering costs time
 * @param promise what the fit of these steps promises, or null when it promises nothing; asked only when the sweep is
 *   over and the plan wants it verified, since fitting costs time
 */
export function nextStep({
  plan,
  finished,
  wanted = () => null,
  promise = () => null,
}: {
  readonly plan: SweepPlan
  readonly finished: readonly FinishedStep[]
  readonly wanted?: () => number | null
  readonly promise?: () => CapacityPromise | null
}): NextStep {
  const stop = budgetSpent(plan, finished)
  if (stop !== null) return { kind: 'done', reason: stop }
  const swept = finished.filter(({ purpose }) => purpose !== 'between' && purpose !== 'verify')
  const next = plan.sweep.mode === 'grid' ? gridSteps(plan)[swept.length] : adaptiveStep(plan, swept)
  if (next !== undefined && next !== null) return { kind: 'measure', ...next }
  const verified = finished.some(({ purpose }) => purpose === 'verify')
  const concurrency = verified || plan.sweep.furtherLevels === 0 ? null : wanted()
  if (concurrency !== null && mayMeasureBetween(plan, finished, concurrency)) {
    const level = { batch: betweenBatch(plan), concurrency, ratePerS: null }
    return { kind: 'measure', purpose: 'between', level }
  }
  const promised = plan.sweep.verify && !verified ? promise() : null
  if (promised === null) return { kind: 'done', reason: 'sweep-complete' }
  const level = { batch: promised.batch, concurrency: null, ratePerS: promised.ratePerS }
  return { kind: 'measure', purpose: 'verify', level }
}

/** True when a closed-loop level may be added to the sweep. */
export function mayMeasureBetween(
  plan: SweepPlan,
  finished: readonly FinishedStep[],
  concurrency: number,
): boolean {
  const { batch, furtherLevels } = plan.sweep
  const isOver = finished.some(({ purpose }) => purpose === 'verify')
  const added = finished.filter(({ purpose }) => purpose === 'between').length
  // A level that was tried and failed would fail again, or say the same.
  const isTried = finished.some(
    ({ level }) => level.concurrency === concurrency && level.batch === betweenBatch(plan),
  )
  // With several prompts to a request a concurrency is no batch.
  return batch.control !== 'request' && !isOver && added < furtherLevels && !isTried
}

// Where the plan steps the server's batch limit: with the most places, so that the concurrency is the batch.
function betweenBatch(plan: SweepPlan): number | null {
  return batchLevels(plan).at(-1) ?? null
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
