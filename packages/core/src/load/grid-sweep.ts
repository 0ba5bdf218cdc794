/**
 * The order of a grid sweep. A server drifts while it is measured (it heats, its cache fills, a neighbour wakes up),
 * and in ascending order such a drift looks exactly like an effect of load. So levels are shuffled by the plan's seed;
 * one middle level, the anchor, is measured first and last, and its two readings bound the drift; and one interior
 * level is held out of the fit, so that the fit is judged on data that it has not seen.
 *
 * Changing the server's batch limit may restart it, so all levels of one batch limit stay together.
 */
import type { Random } from '../random.ts'
import { seededRandom } from '../random.ts'
import { batchLevels, distinct, type PlannedStep, type StepLevel, type SweepPlan } from './step-level.ts'

/** An anchor costs one more step; below this many levels it is not worth it. */
const ANCHORED_LEVELS_MIN = 3
/** A fit needs four levels and its ends; holding one out of fewer than six would cost more than it tells. */
const HELD_OUT_LEVELS_MIN = 6

/** Every step of a grid sweep, in the order in which they are measured. The same plan always gives the same list. */
export function gridSteps(plan: SweepPlan): PlannedStep[] {
  const random = seededRandom(plan.seed, 'grid-order')
  const shuffled = plan.sweep.order === 'shuffled'
  const batches = shuffled ? shuffle(batchLevels(plan), random) : batchLevels(plan)
  return batches.flatMap((batch) => [
    ...closedLoopSteps({ plan, batch, random }),
    ...rateSteps({ plan, batch, random }),
  ])
}

/** The open-loop steps of one batch limit. */
export function rateSteps(group: {
  readonly plan: SweepPlan
  readonly batch: number | null
  readonly random: Random
}): PlannedStep[] {
  const { plan, batch, random } = group
  const rates = distinct(plan.sweep.ratesPerS)
  const ordered = plan.sweep.order === 'shuffled' ? shuffle(rates, random) : rates
  return ordered.map((ratePerS) => ({ level: { batch, concurrency: null, ratePerS }, purpose: 'grid' }))
}

/** Fisher-Yates: every order is equally likely. */
export function shuffle<T>(values: readonly T[], random: Random): T[] {
  const shuffled = [...values]
  for (let last = shuffled.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    ;[shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T]
  }
  return shuffled
}

function closedLoopSteps(group: {
  readonly plan: SweepPlan
  readonly batch: number | null
  readonly random: Random
}): PlannedStep[] {
  const { plan, batch, random } = group
  const levels = distinct(plan.sweep.concurrency)
  const level = (concurrency: number): StepLevel => ({ batch, concurrency, ratePerS: null })
  const anchored = plan.sweep.repeatAnchor && levels.length >= ANCHORED_LEVELS_MIN
  const anchor = anchored ? levels[Math.floor((levels.length - 1) / 2)] : undefined
  const holdsOut = plan.sweep.holdOut && levels.length >= HELD_OUT_LEVELS_MIN
  const heldOut = holdsOut ? pickHeldOut({ levels, anchor, random }) : undefined
  const others = levels.filter((concurrency) => concurrency !== anchor)
  const ordered = plan.sweep.order === 'shuffled' ? shuffle(others, random) : others
  const steps: PlannedStep[] = ordered.map((concurrency) => ({
    level: level(concurrency),
    purpose: concurrency === heldOut ? 'held-out' : 'grid',
  }))
  if (anchor === undefined) return steps
  const anchorStep: PlannedStep = { level: level(anchor), purpose: 'anchor' }
  return [anchorStep, ...steps, anchorStep]
}

// Never an end: predicting an end would be extrapolation, which the fit refuses anyway.
function pickHeldOut(choice: {
  readonly levels: readonly number[]
  readonly anchor: number | undefined
  readonly random: Random
}): number | undefined {
  const interior = choice.levels.slice(1, -1).filter((concurrency) => concurrency !== choice.anchor)
  return interior[Math.floor(choice.random() * interior.length)]
}
