/**
 * The levels of a sweep as a padding sees them. While a level is measured its batch wanders: all clients decode, or some
 * of them are in prefill. What a padding makes of it is the mean over that range, not the padded mean.
 */
import { type CaptureSizes, paddedBatch } from '../fit/capture-sizes.ts'
import type { CurveFit } from '../fit/curve.ts'
import { isSoundHeldOut, sweepNorms } from '../fit/gates.ts'
import type { CurveLaw } from '../fit/law.ts'
import { queueingReadings } from '../fit/queueing.ts'
import type { LevelReading } from '../fit/reading.ts'
import { groupRepeats, sweepPoint } from '../fit/sweep.ts'

export interface PaddedLevel {
  /** Repeats of one level. */
  readonly readings: readonly LevelReading[]
  /** Mean decode batch. */
  readonly batch: number
  readonly typicalMs: number
  /** Largest batch that ran while the level was measured. */
  readonly highest: number
  /** Mean size as which the batch ran, were it padded to these sizes. */
  readonly meanPadded: (sizes: CaptureSizes) => number
}

/** The batch of a level wanders around its mean by no more than this. */
export const WANDER_FRACTION = 0.1
/** From this share of saturation on all places are taken, and the batch does not wander. */
const SATURATED_FRACTION = 0.97
/** Rounding does not make a level of 64 clients run 63 at most. */
const ROUNDING = 1e-6

/** The usable levels in order of their batch, and the one that was kept out of the fit: between two others it tells most. */
export function paddedLevels(curve: CurveFit, fitted: CurveLaw): PaddedLevel[] {
  const norms = sweepNorms(
    curve.levels.map(({ reading }) => reading),
    fitted.outputTokens,
  )
  const readings = curve.levels.flatMap(({ reading, excluded }) =>
    excluded === null || isSoundHeldOut(reading, norms) ? [reading] : [],
  )
  const saturatedFrom = SATURATED_FRACTION * (fitted.law.saturationBatch ?? Infinity)
  const queueing = queueingReadings(curve)
  return groupRepeats(readings).map((group) => {
    const { batch, concurrency, batchLimit, stepMs } = sweepPoint(group)
    const isFull = batch >= saturatedFrom || group.some((reading) => queueing.has(reading))
    const room = isFull ? 0 : Math.min(concurrency, batchLimit ?? Infinity) - batch
    const wander = Math.min(WANDER_FRACTION * batch, Math.max(0, room))
    const middle = Math.max(1, Math.round(batch))
    const lowest = Math.min(middle, Math.max(1, Math.ceil(batch - wander)))
    const highest = Math.max(middle, Math.floor(batch + wander + ROUNDING))
    const meanPadded = (sizes: CaptureSizes): number =>
      sizes.length === 0 ? batch : meanPaddedBetween(sizes, { lowest, highest })
    return { readings: group, batch, typicalMs: stepMs, highest, meanPadded }
  })
}

function meanPaddedBetween(
  sizes: CaptureSizes,
  { lowest, highest }: { readonly lowest: number; readonly highest: number },
): number {
  let sum = 0
  for (let running = lowest; running <= highest; running++) sum += paddedBatch(sizes, running)
  return sum / (highest - lowest + 1)
}
