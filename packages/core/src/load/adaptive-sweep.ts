/**
 * The adaptive sweep, for people who do not know where their server saturates. Concurrency doubles until an SLO is
 * missed, the level fails, or throughput hardly grows (by less than 5 %, unless the plan says otherwise); then geometric bisection closes in on the crossing
 * between the last good and the first bad level. At least four levels are explored whatever happens, because a fit
 * needs them. The last good level is repeated at the end: it is the anchor that shows drift where it matters.
 *
 * The sweep is a function of the finished steps alone, so a conductor that crashed goes on where it was.
 */
import { seededRandom } from '../random.ts'
import { rateSteps } from './grid-sweep.ts'
import { batchLevels, type FinishedStep, type PlannedStep, type SweepPlan } from './step-level.ts'

const EXPLORED_LEVELS_MIN = 4
/** Good and bad within 10 % of each other: the crossing is known better than a step measures. */
const BRACKET_RATIO_MIN = 1.1

/** The next step of an adaptive sweep, or null when every batch limit is done. */
export function adaptiveStep(plan: SweepPlan, finished: readonly FinishedStep[]): PlannedStep | null {
  for (const batch of batchLevels(plan)) {
    const steps = finished.filter((step) => step.level.batch === batch)
    const next = closedLoopStep({ plan, batch, steps }) ?? rateStep({ plan, batch, steps })
    if (next !== null) return next
  }
  return null
}

interface Group {
  readonly plan: SweepPlan
  readonly batch: number | null
  readonly steps: readonly FinishedStep[]
}

function closedLoopStep({ plan, batch, steps }: Group): PlannedStep | null {
  const explored = steps.filter((step) => step.purpose === 'explore')
  const refined = steps.filter((step) => step.purpose === 'refine')
  const step = (concurrency: number, purpose: PlannedStep['purpose']): PlannedStep => ({
    level: { batch, concurrency, ratePerS: null },
    purpose,
  })
  const doubled = nextDoubling(plan, explored)
  if (doubled !== null) return step(doubled, 'explore')
  const bracket = bracketOf(plan, [...explored, ...refined])
  const middle = refined.length < plan.sweep.adaptive.refineLevels ? middleOf(bracket) : null
  if (middle !== null) return step(middle, 'refine')
  const anchored = steps.some((each) => each.purpose === 'anchor')
  return bracket.good === null || anchored || !plan.sweep.repeatAnchor ? null : step(bracket.good, 'anchor')
}

function rateStep({ plan, batch, steps }: Group): PlannedStep | null {
  // A fresh stream per call: the order must not depend on how often the reducer has been asked.
  const planned = rateSteps({ plan, batch, random: seededRandom(plan.seed, `rate-order:${batch}`) })
  const isRate = (step: PlannedStep): boolean => step.level.ratePerS !== null && step.purpose === 'grid'
  return planned[steps.filter(isRate).length] ?? null
}

/** The next concurrency to explore, or null when exploring is over. */
function nextDoubling(plan: SweepPlan, explored: readonly FinishedStep[]): number | null {
  const { start, concurrencyMax } = plan.sweep.adaptive
  const last = explored.at(-1)
  if (last === undefined) return start
  const next = Math.min((last.level.concurrency ?? start) * 2, concurrencyMax)
  if (next <= (last.level.concurrency ?? start)) return null
  if (explored.length < EXPLORED_LEVELS_MIN) return next
  return explored.some((_, index) => isBad(plan, { ascending: explored, index })) ? null : next
}

// A level is bad when it failed, missed an SLO, or gave hardly more than the one before it.
function isBad(
  plan: SweepPlan,
  { ascending, index }: { readonly ascending: readonly FinishedStep[]; readonly index: number },
): boolean {
  const step = ascending[index]
  if (step === undefined) return false
  if (step.outcome === 'failed' || step.sloMet === false) return true
  const before = ascending[index - 1]?.outputTokensPerS ?? null
  if (before === null || step.outputTokensPerS === null) return false
  const from = ascending[index - 1]?.level.concurrency ?? 0
  const doublings = Math.log2((step.level.concurrency ?? 0) / from)
  // The gain belongs to one doubling; a refined pair of levels is closer, and owes a part of it.
  return step.outputTokensPerS < before * (1 + plan.sweep.adaptive.gainFraction) ** Math.min(1, doublings)
}

/** The last good and the first bad concurrency. Everything above a bad level counts as bad. */
function bracketOf(
  plan: SweepPlan,
  steps: readonly FinishedStep[],
): { good: number | null; bad: number | null } {
  const ascending = [...steps].sort(
    (left, right) => (left.level.concurrency ?? 0) - (right.level.concurrency ?? 0),
  )
  const firstBad = ascending.findIndex((_, index) => isBad(plan, { ascending, index }))
  if (firstBad === -1) return { good: ascending.at(-1)?.level.concurrency ?? null, bad: null }
  return {
    good: ascending[firstBad - 1]?.level.concurrency ?? null,
    bad: ascending[firstBad]?.level.concurrency ?? null,
  }
}

function middleOf({
  good,
  bad,
}: {
  readonly good: number | null
  readonly bad: number | null
}): number | null {
  if (good === null || bad === null || bad / good <= BRACKET_RATIO_MIN) return null
  const middle = Math.round(Math.sqrt(good * bad))
  return middle > good && middle < bad ? middle : null
}
