/**
 * How large the noise of a sweep is, as far as its few levels can tell.
 *
 * The residuals of six to ten levels say little about their own variance: with three degrees of freedom their standard
 * deviation is off by a third, and now and then it is nearly zero. So the residual variance is combined with two
 * pseudo-observations at a prior (for TPOT the 2 % below which no law of this family is trusted), and whoever draws noise
 * draws its variance first, from the resulting scaled inverse χ². That gives Student-t, not normal, intervals.
 *
 * Neighbouring levels are measured one after the other on one machine and share its mood: their disturbances are taken
 * to be correlated (first order, 0.5). A curve follows the slow part of such noise, so its residuals show too little of it.
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

/** Correlation of the disturbances of neighbouring levels. */
const NEIGHBOUR_CORRELATION = 0.5
/** What correlated noise is larger than its residuals: a line through eight levels hides about a fifth of it. */
const HIDDEN_BY_FIT = 1.25

/** Correlated disturbances of the levels of one replicate, in order: relative, with the given standard deviation. */
export function disturbances(count: number, scale: { sigma: number; random: Random }): number[] {
  const { sigma, random } = scale
  const innovation = Math.sqrt(1 - NEIGHBOUR_CORRELATION ** 2)
  let mood = standardNormal(random)
  return Array.from({ length: count }, (_, index) => {
    if (index > 0) mood = NEIGHBOUR_CORRELATION * mood + innovation * standardNormal(random)
    return HIDDEN_BY_FIT * sigma * mood
  })
}
