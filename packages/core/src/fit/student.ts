/**
 * Quantiles of Student's t, for bounds from a handful of levels: with so few degrees of freedom a normal quantile would
 * promise half the truth. For whole degrees of freedom the distribution is a finite sum (Abramowitz and Stegun 26.7.3–4);
 * its quantile is found by bisection.
 */

/**
 * t such that P(|T| ≤ t) = coverage.
 *
 * @param coverage two-sided, in (0, 1)
 * @param degrees whole, ≥ 1
 */
export function studentQuantile({ coverage, degrees }: { coverage: number; degrees: number }): number {
  if (!(coverage > 0 && coverage < 1)) throw new RangeError(`coverage must lie in (0, 1), got ${coverage}`)
  if (!(Number.isInteger(degrees) && degrees >= 1)) {
    throw new RangeError(`degrees must be a whole number of at least 1, got ${degrees}`)
  }
  let low = 0
  let high = 1
  while (centralProbability(high, degrees) < coverage) high *= 2
  for (let iteration = 0; iteration < 50; iteration++) {
    const middle = (low + high) / 2
    if (centralProbability(middle, degrees) < coverage) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** P(|T| ≤ t) for whole degrees of freedom. */
function centralProbability(t: number, degrees: number): number {
  const angle = Math.atan(t / Math.sqrt(degrees))
  const sine = Math.sin(angle)
  const cosine = Math.cos(angle)
  const odd = degrees % 2 === 1
  // Terms fall by cos²θ·(j − 1)/j, j going up in twos to ν − 2.
  let term = odd ? cosine : 1
  let sum = degrees === 1 ? 0 : term
  for (let j = odd ? 3 : 2; j <= degrees - 2; j += 2) {
    term *= (cosine * cosine * (j - 1)) / j
    sum += term
  }
  return odd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum
}
