/**
 * How large the noise of a sweep is, as far as its few levels can tell.
 *
 * The residuals of six to ten levels say little about their own variance: with three degrees of freedom their standard
 * deviation is off by a third, and now and then it is nearly zero. So the residual variance is combined with two
 * pseudo-observations at a prior (for TPOT the 2 % below which no law of this family is trusted), and whoever draws noise
 * draws its variance first, from the resulting scaled inverse χ². That gives Student-t, not normal, intervals.
 */
import { type Random, standardNormal } from '../random.ts'

/** Relative noise with the degrees of freedom that it is known to. */
export interface NoiseScale {
  readonly sigma: number
  readonly degrees: number
}

/** Pseudo-observations that the prior is worth. */
export const PRIOR_DEGREES = 2

/** Pools residuals with the prior: σ² = (2·σ0² + Σe²) / (2 + ν), ν residuals less parameters. */
export function noiseScale(input: {
  residuals: readonly number[]
  parameters: number
  priorFraction: number
}): NoiseScale {
  const { residuals, parameters, priorFraction } = input
  const sumOfSquares = residuals.reduce((sum, residual) => sum + residual * residual, 0)
  const degrees = PRIOR_DEGREES + Math.max(0, residuals.length - parameters)
  return { sigma: Math.sqrt((PRIOR_DEGREES * priorFraction ** 2 + sumOfSquares) / degrees), degrees }
}

/** A standard deviation that the residuals do not rule out: σ·√(ν/χ²_ν). */
export function drawSigma({ sigma, degrees }: NoiseScale, random: Random): number {
  let square = 0
  for (let index = 0; index < degrees; index++) square += standardNormal(random) ** 2
  return sigma * Math.sqrt(degrees / Math.max(square, 1e-3))
}
