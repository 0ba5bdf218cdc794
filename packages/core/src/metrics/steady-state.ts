/**
 * Has the step settled? MSER-5 (White, Simulation 69, 1997): average the series in fives, then cut off the first d
 * values, where d minimises the squared standard error of the rest,
 *
 *   MSER(d) = sum_{j > d} (Y_j - mean_d)^2 / (m - d)^2 ,   d <= m/2 .
 *
 * A start-up transient makes early cuts pay; a series that is stationary from its start pays for every value lost. An
 * optimum at the bound, or close to it, means that even the second half is still moving. Pure noise reaches the bound
 * now and then, so a step is only called unsettled when, besides, its second half differs from its first by more than
 * noise and by enough to matter.
 */
import { effectiveSampleSize, meanOf, varianceOf } from './batch-means.ts'

const BATCH = 5
const VALUES_MIN = 6
/** Noise moves the optimum of a series that drifts throughout a little away from the bound. */
const BOUND_FRACTION = 0.8
/** Half-to-half change below which drift does not matter: the precision to which steps are measured. */
const CHANGE_FRACTION_MIN = 0.05
/** Half-to-half difference in standard errors; more for short series, whose errors are themselves poorly known. */
const differenceErrors = (means: number): number => 3 * (1 + 3 / means)

export interface Mser {
  /** Values of the original series to cut off at the start. */
  readonly cut: number
  /** The optimum is at its bound, half of the series, or near it. */
  readonly atBound: boolean
}

export interface SteadyState {
  /** Null: too short to say. */
  readonly steady: boolean | null
  readonly cutFraction: number | null
  /** Mean of the second half over that of the first, minus 1. */
  readonly changeFraction: number | null
}

/**
 * MSER-5 truncation point; null when the series holds fewer than six groups of five.
 *
 * @param series in order of time, equally spaced
 */
export function mser5(series: ArrayLike<number>): Mser | null {
  const means = groupMeans(series)
  const m = means.length
  if (m < VALUES_MIN) return null
  let best = { cut: 0, statistic: Number.POSITIVE_INFINITY }
  // From the end backwards, Welford's update gives every tail's sum of squares in one pass.
  let mean = 0
  let squares = 0
  const bound = Math.floor(m / 2)
  for (let cut = m - 1; cut >= 0; cut--) {
    const count = m - cut
    const delta = (means[cut] ?? 0) - mean
    mean += delta / count
    squares += delta * ((means[cut] ?? 0) - mean)
    const statistic = squares / count ** 2
    if (cut <= bound && statistic <= best.statistic) best = { cut, statistic }
  }
  return { cut: best.cut * BATCH, atBound: best.cut >= BOUND_FRACTION * bound }
}

/** Whether a series has settled, and by how much its halves differ. */
export function steadyState(series: ArrayLike<number>): SteadyState {
  const found = mser5(series)
  if (found === null) return { steady: null, cutFraction: null, changeFraction: null }
  const means = groupMeans(series)
  const half = Math.floor(means.length / 2)
  const early = means.slice(0, half)
  const late = means.slice(-half)
  const [earlyMean, lateMean] = [meanOf(early), meanOf(late)]
  // Queues have a memory: as if they were independent, the halves of a steady but busy step would differ "surely".
  const error = Math.hypot(meanError(early, earlyMean), meanError(late, lateMean))
  const change = earlyMean === 0 ? 0 : lateMean / earlyMean - 1
  const moves =
    Math.abs(lateMean - earlyMean) > differenceErrors(means.length) * error &&
    Math.abs(change) > CHANGE_FRACTION_MIN
  return { steady: !(found.atBound && moves), cutFraction: found.cut / series.length, changeFraction: change }
}

function meanError(values: readonly number[], mean: number): number {
  return Math.sqrt(varianceOf(values, mean) / effectiveSampleSize(values))
}

function groupMeans(series: ArrayLike<number>): number[] {
  return Array.from({ length: Math.floor(series.length / BATCH) }, (_, group) => {
    let sum = 0
    for (let index = group * BATCH; index < (group + 1) * BATCH; index++) sum += series[index] ?? 0
    return sum / BATCH
  })
}
