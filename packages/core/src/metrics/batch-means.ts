/**
 * How sure is a mean of values that depend on one another? Requests of one step share their server, so neighbours are
 * alike and the textbook s/sqrt(n) is too small. Two remedies, both standard in simulation (Law, Simulation Modeling
 * and Analysis, ch. 9): batch means, where the series is cut into 20 to 30 stretches whose means are nearly
 * independent; and the effective n = n / (1 + 2*sum of autocorrelations), summed as long as neighbouring pairs stay
 * positive (Geyer, Statistical Science 7, 1992, initial positive sequence).
 */

const BATCHES_MAX = 30
const BATCHES_MIN = 8
const BATCH_SIZE_MIN = 3
const LAGS_MAX = 1_000
const VALUES_EXACT_MAX = 16_384
const BLOCKS = 8_192

export interface BatchMeans {
  readonly mean: number
  /** Standard error of the mean over its absolute value; null when the mean is 0. */
  readonly relativeError: number | null
  readonly batches: number
}

/**
 * Mean and its relative standard error from batch means.
 *
 * @param values in order of time
 * @returns null when the series is too short for 8 batches of 3
 */
export function batchMeans(values: ArrayLike<number>): BatchMeans | null {
  const means = meansOfBatches(values)
  if (means.length < BATCHES_MIN) return null
  const mean = meanOf(means)
  const standardError = Math.sqrt(varianceOf(means, mean) / means.length)
  return { mean, relativeError: mean === 0 ? null : standardError / Math.abs(mean), batches: means.length }
}

/** Means of up to 30 equal stretches of the series; the remainder at the end is left out. */
export function meansOfBatches(values: ArrayLike<number>): number[] {
  const batches = Math.min(BATCHES_MAX, Math.floor(values.length / BATCH_SIZE_MIN))
  const size = batches === 0 ? 0 : Math.floor(values.length / batches)
  return Array.from({ length: batches }, (_, batch) => {
    let sum = 0
    for (let index = batch * size; index < (batch + 1) * size; index++) sum += values[index] ?? 0
    return sum / size
  })
}

/**
 * How many independent values a series is worth: n / (1 + 2*sum of autocorrelations), between 1 and n.
 *
 * Negative correlation would give more than n; that is not claimed, since it would make verdicts bolder.
 *
 * @param values in order of time
 */
export function effectiveSampleSize(values: ArrayLike<number>): number {
  const n = values.length
  if (n < 4) return n
  const variance = varianceOf(values, meanOf(values))
  if (variance === 0) return n
  // Var(mean) = Var(block)/effective blocks holds for blocks of any size; large ones keep the cost linear.
  const blocks = n > VALUES_EXACT_MAX ? blockMeans(values, Math.ceil(n / BLOCKS)) : values
  const blockVariance = varianceOf(blocks, meanOf(blocks))
  if (blockVariance === 0) return n
  const effective = (variance / blockVariance) * (blocks.length / (1 + 2 * sumOfCorrelations(blocks)))
  return Math.min(n, Math.max(1, effective))
}

// Geyer's pairs begin with lags 0 and 1; beginning with 1 and 2 ends the sum at most one lag earlier.
function sumOfCorrelations(values: ArrayLike<number>): number {
  const n = values.length
  const mean = meanOf(values)
  const variance = (varianceOf(values, mean) * (n - 1)) / n
  let sum = 0
  for (let lag = 1; lag + 1 < Math.min(n / 2, LAGS_MAX); lag += 2) {
    const at = (one: number) => correlationAt({ values, lag: one, mean, variance })
    const pair = at(lag) + at(lag + 1)
    if (pair <= 0) break
    sum += pair
  }
  return sum
}

function blockMeans(values: ArrayLike<number>, size: number): Float64Array {
  const means = new Float64Array(Math.floor(values.length / size))
  for (let index = 0; index < means.length * size; index++) {
    const block = Math.floor(index / size)
    means[block] = (means[block] ?? 0) + (values[index] ?? 0) / size
  }
  return means
}

export function meanOf(values: ArrayLike<number>): number {
  let sum = 0
  for (let index = 0; index < values.length; index++) sum += values[index] ?? 0
  return sum / values.length
}

/** Unbiased sample variance about a known mean. */
export function varianceOf(values: ArrayLike<number>, mean: number): number {
  let sum = 0
  for (let index = 0; index < values.length; index++) sum += ((values[index] ?? 0) - mean) ** 2
  return sum / (values.length - 1)
}

function correlationAt({
  values,
  lag,
  mean,
  variance,
}: {
  readonly values: ArrayLike<number>
  readonly lag: number
  readonly mean: number
  readonly variance: number
}): number {
  let sum = 0
  for (let index = lag; index < values.length; index++) {
    sum += ((values[index] ?? 0) - mean) * ((values[index - lag] ?? 0) - mean)
  }
  return sum / values.length / variance
}
