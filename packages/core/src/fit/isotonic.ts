/**
 * The fallback when no law fits: step time may only rise with the batch, nothing else is assumed.
 *
 * Pool-adjacent-violators: walk along the batches; whenever a value is below the one before it, both are replaced by
 * their weighted mean, again and again until the sequence rises. That is the least-squares non-decreasing fit. What had
 * to be pooled is where the sweep contradicts itself, so the amount of pooling also says whether the sweep is usable.
 */
import type { Random } from '../random.ts'
import type { StepPoint } from './step-forms.ts'

export interface IsotonicFit {
  /** (b, ms), increasing in b, not decreasing in ms. */
  readonly knots: readonly { readonly batch: number; readonly stepMs: number }[]
  /** Indices (into the points in order of their batch) of each block that was pooled; blocks of one are left out. */
  readonly pooled: readonly { readonly from: number; readonly to: number }[]
}

/** Weighted isotonic regression of step time on batch (least squares, non-decreasing). */
export function fitIsotonic(points: readonly StepPoint[]): IsotonicFit {
  const sorted = [...points].sort((left, right) => left.batch - right.batch)
  const blocks: { from: number; to: number; weight: number; stepMs: number }[] = []
  sorted.forEach((point, index) => {
    blocks.push({ from: index, to: index, weight: point.weight, stepMs: point.stepMs })
    for (;;) {
      const last = blocks.at(-1)
      const before = blocks.at(-2)
      if (last === undefined || before === undefined || before.stepMs <= last.stepMs) break
      const weight = before.weight + last.weight
      const stepMs = (before.stepMs * before.weight + last.stepMs * last.weight) / weight
      blocks.splice(-2, 2, { from: before.from, to: last.to, weight, stepMs })
    }
  })
  const knots = blocks.flatMap((block) =>
    sorted.slice(block.from, block.to + 1).map((point) => ({ batch: point.batch, stepMs: block.stepMs })),
  )
  const pooled = blocks.filter((block) => block.to > block.from).map(({ from, to }) => ({ from, to }))
  return { knots, pooled }
}

/**
 * The same knots with a bend between each two: what the step time does between measured levels is not known beyond that
 * it rises. Halfway it lies somewhere in the middle half of the rise, drawn anew for each replicate.
 */
export function bentKnots(knots: IsotonicFit['knots'], random: Random): IsotonicFit['knots'] {
  return knots.flatMap((knot, index) => {
    const next = knots[index + 1]
    if (next === undefined || next.batch === knot.batch) return [knot]
    const share = 0.25 + 0.5 * random()
    const between = {
      batch: (knot.batch + next.batch) / 2,
      stepMs: knot.stepMs + share * (next.stepMs - knot.stepMs),
    }
    return [knot, between]
  })
}
