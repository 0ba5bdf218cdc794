/**
 * The regularised incomplete beta function I_x(a, b): the distribution function of a Beta(a, b) variable, and through
 * it of every binomial. Evaluated by its continued fraction (DLMF 8.17.22) with the modified Lentz method, on the side
 * of the mean where it converges fast; all in logarithms, because the tails that matter here are far below 1e-300.
 */
import { gammaln } from 'simple-statistics'

const ITERATIONS_MAX = 10_000
const TINY = 1e-300

/**
 * Natural logarithm of I_x(a, b).
 *
 * @param x in [0, 1]
 * @param a shape, > 0
 * @param b shape, > 0
 * @returns ln I_x(a, b) <= 0; -Infinity at x = 0
 * @throws RangeError when a parameter is out of range
 */
export function logIncompleteBeta({
  x,
  a,
  b,
}: {
  readonly x: number
  readonly a: number
  readonly b: number
}): number {
  if (!(x >= 0 && x <= 1)) throw new RangeError(`x must lie in [0, 1], got ${x}`)
  if (!(a > 0 && b > 0)) throw new RangeError(`a and b must be positive, got ${a} and ${b}`)
  if (x === 0) return Number.NEGATIVE_INFINITY
  if (x === 1) return 0
  if (x < (a + 1) / (a + b + 2)) return logTail(x, a, b)
  // ln(1 - e^t) without cancellation.
  return Math.log1p(-Math.exp(logTail(1 - x, b, a)))
}

/** ln B(a, b). */
export function logBeta(a: number, b: number): number {
  return gammaln(a) + gammaln(b) - gammaln(a + b)
}

/**
 * P(Binomial(n, p) <= k).
 *
 * @param k whole successes; below 0 the answer is 0, from n on it is 1
 */
export function binomialAtMost({
  k,
  n,
  p,
}: {
  readonly k: number
  readonly n: number
  readonly p: number
}): number {
  if (k < 0) return 0
  if (k >= n) return 1
  return Math.exp(logIncompleteBeta({ x: 1 - p, a: n - k, b: k + 1 }))
}

/** Smallest k with P(Binomial(n, p) <= k) >= probability, by bisection on the distribution function. */
export function binomialQuantile({
  probability,
  n,
  p,
}: {
  readonly probability: number
  readonly n: number
  readonly p: number
}): number {
  let below = -1
  let enough = n
  while (enough - below > 1) {
    const middle = Math.floor((below + enough) / 2)
    if (binomialAtMost({ k: middle, n, p }) >= probability) enough = middle
    else below = middle
  }
  return enough
}

function logTail(x: number, a: number, b: number): number {
  return (
    a * Math.log(x) + b * Math.log1p(-x) - logBeta(a, b) - Math.log(a) + Math.log(continuedFraction(x, a, b))
  )
}

function continuedFraction(x: number, a: number, b: number): number {
  let c = 1
  let d = away(1 - ((a + b) * x) / (a + 1))
  d = 1 / d
  let value = d
  for (let m = 1; m <= ITERATIONS_MAX; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / away(1 + even * d)
    c = away(1 + even / c)
    value *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / away(1 + odd * d)
    c = away(1 + odd / c)
    const change = d * c
    value *= change
    if (Math.abs(change - 1) < 1e-14) return value
  }
  throw new RangeError(`the incomplete beta function did not converge at x ${x}, a ${a}, b ${b}`)
}

// A zero denominator would end Lentz's recurrence.
const away = (value: number): number => (Math.abs(value) < TINY ? TINY : value)
