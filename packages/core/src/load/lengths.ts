/**
 * How long requests are. Lengths are drawn rather than fixed, because equal requests that start together end
 * together: cohorts in lockstep show a throughput and a tail that no mixed traffic has.
 *
 * Every draw is a whole number of tokens, at least 1 and inside the bounds of its distribution.
 */
import type { Random } from '../random.ts'
import { standardNormal } from '../random.ts'

/**
 * A distribution of token counts; a plan's `inputTokens` and `outputTokens` are two of them. `stdev` of `lognormal` is
 * that of the tokens, not of their logarithm. A missing or null bound is none (but for the one token at least).
 */
export type LengthDistribution = DrawnLength | EmpiricalLength

export interface DrawnLength {
  readonly distribution: 'normal' | 'lognormal'
  readonly mean: number
  /** 0: every request has the same length. */
  readonly stdev: number
  readonly min?: number | null
  readonly max?: number | null
}

export interface EmpiricalLength {
  readonly distribution: 'empirical'
  /** Drawn with replacement. */
  readonly values: readonly number[]
}

const DRAWS_MAX = 100

/** One token count, whole and at least 1. */
export type LengthDraw = (random: Random) => number

/**
 * The drawing function of a distribution.
 *
 * `normal` is truncated to its bounds by redrawing, not by clamping, which would pile mass on the edges; bounds that
 * leave hardly any mass are clamped to after 100 draws, so that a draw is bounded. `lognormal` has log-variance
 * ln(1 + (stdev/mean)^2), so that its mean and stdev are the ones asked for.
 *
 * @throws RangeError when a mean is below 1, a stdev negative, bounds cross, or an empirical sample is empty
 */
export function lengthDraw(distribution: LengthDistribution): LengthDraw {
  requireDistribution(distribution)
  if (distribution.distribution === 'empirical') return empiricalDraw(distribution.values)
  const { mean, stdev } = distribution
  if (stdev === 0) return truncatedDraw(distribution, () => mean)
  if (distribution.distribution === 'normal') {
    return truncatedDraw(distribution, (random) => mean + stdev * standardNormal(random))
  }
  const variance = Math.log(1 + (stdev / mean) ** 2)
  const location = Math.log(mean) - variance / 2
  return truncatedDraw(distribution, (random) =>
    Math.exp(location + Math.sqrt(variance) * standardNormal(random)),
  )
}

/** Mean of a distribution before rounding and truncation, tokens. */
export function meanLength(distribution: LengthDistribution): number {
  if (distribution.distribution !== 'empirical') return distribution.mean
  return distribution.values.reduce((sum, value) => sum + value, 0) / distribution.values.length
}

function empiricalDraw(values: readonly number[]): LengthDraw {
  return (random) => Math.max(1, Math.round(values[Math.floor(random() * values.length)] ?? 1))
}

function truncatedDraw(bounds: DrawnLength, draw: LengthDraw): LengthDraw {
  const min = bounds.min ?? 1
  const max = bounds.max ?? Infinity
  return (random) => {
    let tokens = 0
    for (let attempt = 0; attempt < DRAWS_MAX; attempt++) {
      tokens = Math.round(draw(random))
      if (tokens >= min && tokens <= max) return tokens
    }
    return Math.min(Math.max(tokens, min), max)
  }
}

function requireDistribution(distribution: LengthDistribution): void {
  if (distribution.distribution === 'empirical') {
    if (distribution.values.length === 0)
      throw new RangeError('an empirical distribution needs at least one value')
    const bad = distribution.values.find((value) => !(value >= 1 && value < Infinity))
    if (bad !== undefined) throw new RangeError(`empirical lengths must be at least 1, got ${bad}`)
    return
  }
  const { mean, stdev, min, max } = distribution
  if (!(mean >= 1 && mean < Infinity)) throw new RangeError(`mean must be at least 1 token, got ${mean}`)
  if (!(stdev >= 0 && stdev < Infinity)) throw new RangeError(`stdev must not be negative, got ${stdev}`)
  if (!((min ?? 1) >= 1)) throw new RangeError(`min must be at least 1 token, got ${min}`)
  if (!((max ?? Infinity) >= (min ?? 1))) throw new RangeError(`max must be at least ${min ?? 1}, got ${max}`)
}
