/**
 * Upper quantile of Student's t, for bounds from a handful of levels. Inverted from the exact distribution: with so few
 * degrees of freedom a normal quantile would promise half the truth.
 */

/**
 * t such that P(|T| ≤ t) = coverage for `degrees` degrees of freedom.
 *
 * @param coverage two-sided, in (0, 1)
 * @param degrees > 0, need not be whole
 */
export function studentQuantile({ coverage, degrees }: { coverage: number; degrees: number }): number {
  if (!(coverage > 0 && coverage < 1)) throw new RangeError(`coverage must lie in (0, 1), got ${coverage}`)
  if (!(degrees > 0)) throw new RangeError(`degrees must be positive, got ${degrees}`)
  let low = 0
  let high = 1
  while (centralProbability(high, degrees) < coverage) high *= 2
  for (let iteration = 0; iteration < 60; iteration++) {
    const middle = (low + high) / 2
    if (centralProbability(middle, degrees) < coverage) low = middle
    else high = middle
  }
  return (low + high) / 2
}

// P(|T| ≤ t). With t = √ν·tan θ the density becomes cos^(ν−1) θ, smooth on [0, π/2): Simpson's rule does it.
function centralProbability(t: number, degrees: number): number {
  const angle = Math.atan(t / Math.sqrt(degrees))
  return cosinePowerIntegral(angle, degrees - 1) / cosinePowerIntegral(Math.PI / 2, degrees - 1)
}

function cosinePowerIntegral(angle: number, power: number): number {
  const panels = 200
  const width = angle / panels
  let sum = 0
  for (let index = 0; index <= panels; index++) {
    const factor = index === 0 || index === panels ? 1 : index % 2 === 1 ? 4 : 2
    sum += factor * Math.max(0, Math.cos(index * width)) ** power
  }
  return (sum * width) / 3
}
