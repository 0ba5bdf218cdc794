/**
 * Which further level would tell apart the servers that a sweep leaves possible. They differ most a little above a size
 * that all of them have: 37 sequences run as 40 on one, as 48 or as 64 on others. Near the next common size they all say
 * nearly the same. The batch of a level wanders while it is measured, so what counts is the mean over that range.
 */
import type { CurveFit } from '../fit/curve.ts'
import type { CurveLaw } from '../fit/law.ts'
import { paddedLevels, WANDER_FRACTION } from './padded-levels.ts'

/** Batches from lowest to highest, both included. */
export interface BatchGap {
  readonly lowest: number
  readonly highest: number
}

/** The batches that no level shows, from the level below a batch to the one above it. */
export function gapAround(curve: CurveFit, fitted: CurveLaw, batch: number): BatchGap {
  const measured = paddedLevels(curve, fitted).map((level) => level.batch)
  const below = Math.max(0, ...measured.filter((each) => each < batch))
  const above = Math.min(...measured.filter((each) => each >= batch))
  const gap = { lowest: Math.floor(below) + 1, highest: Math.ceil(above) - 1 }
  return gap.highest < batch || !Number.isFinite(above) ? { ...gap, highest: batch } : gap
}

/** The batch of a gap at which a level would show the largest difference; the one nearest to `near` of several such. */
export function tellingBatch(
  differenceFraction: (batch: number) => number,
  { lowest, highest, near }: BatchGap & { readonly near: number },
): number {
  const shown = (batch: number): number => {
    const first = Math.max(1, Math.ceil(batch * (1 - WANDER_FRACTION)))
    let sum = 0
    for (let running = first; running <= batch; running++) sum += differenceFraction(running)
    return sum / (batch - first + 1)
  }
  const distance = (batch: number): number => Math.abs(batch - near)
  let telling = { batch: near, shown: -1 }
  for (let batch = lowest; batch <= highest; batch++) {
    const more = shown(batch) - telling.shown
    const isNearer = distance(batch) < distance(telling.batch)
    if (more > SAME || (more > -SAME && isNearer)) telling = { batch, shown: shown(batch) }
  }
  return telling.batch
}

/** Differences that are the same but for rounding. */
const SAME = 1e-9
