/** The least that a plan can do: every step as short as it may be. Budgets below this are impossible. */
import type { Plan } from './schema.ts'

export interface LeastWork {
  readonly steps: number
  readonly requests: number
  readonly outputTokens: number
  readonly durationS: number
}

export function leastWork(plan: Plan): LeastWork {
  const { step } = plan.sweep
  const steps = countLevels(plan).certain
  const requests = steps * step.minRequests
  const outputTokens = plan.workload.dataset === null ? requests * plan.workload.outputTokens.mean : 0
  return { steps, requests, outputTokens, durationS: steps * step.minDurationS }
}

/**
 * Steps of a plan: those that are certain, and those that depend on what is found (the levels of an adaptive search).
 * The repeated anchor and the verification step come on top and may be dropped when a budget runs out.
 */
export function countLevels({ sweep }: Plan): {
  readonly certain: number
  readonly likely: number
  readonly extra: number
} {
  const batches = sweep.batch.control === 'none' ? 1 : Math.max(1, sweep.batch.levels.length)
  const listed = (sweep.concurrency.length + sweep.ratesPerS.length) * batches
  const extra = (sweep.repeatAnchor ? 1 : 0) + (sweep.verify ? 1 : 0)
  if (sweep.mode === 'grid') return { certain: listed, likely: listed, extra }
  const doublings = Math.floor(Math.log2(sweep.adaptive.concurrencyMax / sweep.adaptive.start)) + 1
  const rates = sweep.ratesPerS.length * batches
  return {
    certain: rates + batches * Math.min(4, doublings),
    likely: rates + batches * (doublings + sweep.adaptive.refineLevels),
    extra,
  }
}
