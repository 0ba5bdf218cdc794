/**
 * How long requests are. Lengths are drawn rather than fixed, because equal requests that start together end
 * together: cohorts in lockstep show a throughput and a tail that no mixed traffic has.
 *
 * Every draw is a whole number of tokens, at least 1 (and never above `max`, where there is one).
 */
import type { Random } from '../random.ts'
import { standardNormal } from '../random.ts'

/** A distribution of token counts. `stdev` of `lognormal` is that of the tokens, not of their logarithm. */
export type LengthDistribution =
  | { readonly kind: 'constant'; readonly mean: number }
  | { readonly kind: 'normal'; readonly mean: number; readonly stdev: number; readonly max?: number }
  | { readonly kind: 'lognormal'; readonly mean: number; readonly stdev: number; readonly max?: number }
  | { readonly kind: 'empirical'; readonly values: readonly number[] }

/** One token count, whole and at least 1. */
export type LengthDraw = (random: Random) => number

/**
 * The drawing function of a distribution.
 *
 * `normal` is truncated to [1, max] by redrawing, not by clamping, which would pile mass on the edges; a truncation
 * that leaves less than about a hundredth of the mass is clamped after 100 draws, so that a draw is bounded.
 * `lognormal` has log-variance ln(1 + (stdev/mean)^2), so its mean and stdev are the ones asked for.
 *
 * @throws RangeError when a mean is below 1, a stdev negative, max below 1, or an empirical sample empty
 */
export function lengthDraw(distribution: LengthDistribution): LengthDraw {
  requireDistribution(distribution)
  switch (distribution.kind) {
    case 'constant': {
      const tokens = Math.max(1, Math.round(distribution.mean))
      return () => tokens
    }
    case 'normal':
      return truncatedDraw(
        distribution,
        (random) => distribution.mean + distribution.stdev * standardNormal(random),
      )
    case 'lognormal': {
      const variance = Math.log(1 + (distribution.stdev / distribution.mean) ** 2)
      const location = Math.log(distribution.mean) - variance / 2
      return truncatedDraw(distribution, (random) =>
        Math.exp(location + Math.sqrt(variance) * standardNormal(random)),
      )
    }
    case 'empirical':
      return (random) => {
        const value = distribution.values[Math.floor(random() * distribution.values.length)] ?? 1
        return Math.max(1, Math.round(value))
      }
  }
}

/** Mean of a distribution before rounding and truncation, tokens. */
export function meanLength(distribution: LengthDistribution): number {
  if (distribution.kind !== 'empirical') return distribution.mean
  return distribution.values.reduce((sum, value) => sum + value, 0) / distribution.values.length
}

function truncatedDraw(bounds: { readonly max?: number }, draw: LengthDraw): LengthDraw {
  const max = bounds.max ?? Infinity
  return (random) => {
    let tokens = 0
    for (let attempt = 0; attempt < 100; attempt++) {
      tokens = Math.round(draw(random))
      if (tokens >= 1 && tokens <= max) return tokens
    }
    return Math.min(Math.max(tokens, 1), max)
  }
}

function requireDistribution(distribution: LengthDistribution): void {
  if (distribution.kind === 'empirical') {
    if (distribution.values.length === 0)
      throw new RangeError('an empirical distribution needs at least one value')
    const bad = distribution.values.find((value) => !(value >= 1 && value < Infinity))
    if (bad !== undefined) throw new RangeError(`empirical lengths must be at least 1, got ${bad}`)
    return
  }
  if (!(distribution.mean >= 1 && distribution.mean < Infinity)) {
    throw new RangeError(`mean must be at least 1 token, got ${distribution.mean}`)
  }
  if (distribution.kind === 'constant') return
  if (!(distribution.stdev >= 0 && distribution.stdev < Infinity)) {
    throw new RangeError(`stdev must not be negative, got ${distribution.stdev}`)
  }
  if (distribution.max !== undefined && !(distribution.max >= 1)) {
    throw new RangeError(`max must be at least 1 token, got ${distribution.max}`)
  }
}
