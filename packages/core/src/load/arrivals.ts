/**
 * When to send. An arrival process is a generator of offsets from the start of the step; the executor decides when
 * the step is over. Offsets are intended times: an executor that is late keeps the offset and reports the delay,
 * because a schedule that waits for the server hides the queue it was meant to show.
 *
 * All processes share one time-rescaling idea: gaps are drawn with mean 1 ("operational time") and then stretched by
 * the rate. A ramp stretches them by a rate that changes, which keeps a Poisson process Poisson at every instant.
 */
import type { Random } from '../random.ts'
import { standardNormal } from '../random.ts'

/** How requests arrive in an open-loop step. `cv` is the coefficient of variation of the gaps. */
export type ArrivalProcess =
  | { readonly process: 'constant'; readonly ratePerS: number }
  | { readonly process: 'poisson'; readonly ratePerS: number }
  | { readonly process: 'gamma'; readonly ratePerS: number; readonly cv: number }
  | { readonly process: 'ramp'; readonly fromPerS: number; readonly toPerS: number; readonly rampMs: number }
  | { readonly process: 'trace'; readonly offsetsMs: readonly number[]; readonly repeat: boolean }

/** Offsets of any process, in ms from the start of the step, never decreasing. Endless but for a trace told to end. */
export function arrivals(process: ArrivalProcess, random: Random): Generator<number, void> {
  switch (process.process) {
    case 'constant':
      return constantArrivals(process.ratePerS)
    case 'poisson':
      return poissonArrivals(process.ratePerS, random)
    case 'gamma':
      return gammaArrivals(process, random)
    case 'ramp':
      return rampArrivals(process, random)
    case 'trace':
      return traceArrivals(process)
  }
}

/**
 * Evenly spaced offsets 0, 1/rate, 2/rate, ...
 *
 * @param ratePerS arrivals per second, > 0
 * @throws RangeError when ratePerS is not positive
 */
export function* constantArrivals(ratePerS: number): Generator<number, never> {
  requirePositive('ratePerS', ratePerS)
  // Multiply rather than accumulate: repeated addition would drift over a long step.
  for (let index = 0; ; index++) yield (index * 1000) / ratePerS
}

/**
 * A Poisson process: independent users who do not wait for one another. Gaps are exponential with mean 1000/rate ms.
 *
 * @param ratePerS mean arrivals per second, > 0
 * @throws RangeError when ratePerS is not positive
 */
export function* poissonArrivals(ratePerS: number, random: Random): Generator<number, never> {
  requirePositive('ratePerS', ratePerS)
  let offsetMs = 0
  for (;;) {
    offsetMs += (unitExponential(random) * 1000) / ratePerS
    yield offsetMs
  }
}

/**
 * A renewal process with gamma gaps: mean 1000/rate ms, standard deviation cv times that. cv 1 is Poisson, above 1
 * is bursty, below 1 is smoother than chance.
 *
 * @throws RangeError when ratePerS or cv is not positive
 */
export function* gammaArrivals(
  { ratePerS, cv }: { readonly ratePerS: number; readonly cv: number },
  random: Random,
): Generator<number, never> {
  requirePositive('ratePerS', ratePerS)
  requirePositive('cv', cv)
  const shape = 1 / (cv * cv)
  let offsetMs = 0
  for (;;) {
    offsetMs += ((unitGamma(shape, random) / shape) * 1000) / ratePerS
    yield offsetMs
  }
}

/**
 * A Poisson process whose rate rises (or falls) linearly from `fromPerS` to `toPerS` over `rampMs`, then stays.
 *
 * With r(t) = from + (to - from) t/T the expected number by time t is M(t) = from t + (to - from) t^2 / 2T; unit
 * exponential gaps in M are mapped back through its inverse (Cinlar's inversion; no thinning, no rejected draws).
 *
 * @throws RangeError when a rate is negative, both are zero, the last rate is zero, or rampMs is not positive
 */
export function* rampArrivals(
  {
    fromPerS,
    toPerS,
    rampMs,
  }: { readonly fromPerS: number; readonly toPerS: number; readonly rampMs: number },
  random: Random,
): Generator<number, never> {
  if (!(fromPerS >= 0)) throw new RangeError(`fromPerS must not be negative, got ${fromPerS}`)
  requirePositive('toPerS', toPerS)
  requirePositive('rampMs', rampMs)
  const rampS = rampMs / 1000
  const curve = (toPerS - fromPerS) / (2 * rampS)
  const expectedInRamp = ((fromPerS + toPerS) / 2) * rampS
  let expected = 0
  for (;;) {
    expected += unitExponential(random)
    if (expected >= expectedInRamp) {
      yield rampMs + ((expected - expectedInRamp) * 1000) / toPerS
    } else {
      // The root of curve t^2 + from t - expected = 0 that stays accurate when curve is near 0.
      const root = Math.sqrt(fromPerS * fromPerS + 4 * curve * expected)
      yield (2 * expected * 1000) / (fromPerS + root)
    }
  }
}

/**
 * Recorded offsets, replayed as they are; with `repeat`, again and again, each pass one trace length later. The length
 * of a pass is its last offset plus its mean gap, so that the seam is as wide as an ordinary gap.
 *
 * @throws RangeError when the trace is empty, does not start at 0 or later, decreases, or is not finite
 */
export function* traceArrivals({
  offsetsMs,
  repeat,
}: {
  readonly offsetsMs: readonly number[]
  readonly repeat: boolean
}): Generator<number, void> {
  requireTrace(offsetsMs)
  const first = offsetsMs[0] ?? 0
  const last = offsetsMs[offsetsMs.length - 1] ?? 0
  const passMs = last - first + (offsetsMs.length > 1 ? (last - first) / (offsetsMs.length - 1) : 1000)
  if (repeat && !(passMs > 0)) throw new RangeError('a repeated trace must last longer than 0 ms')
  for (let pass = 0; pass === 0 || repeat; pass++) {
    for (const offsetMs of offsetsMs) yield pass * passMs + offsetMs
  }
}

/** A gamma deviate of the given shape and scale 1 (Marsaglia and Tsang 2000; shapes below 1 by Johnk's boost). */
export function unitGamma(shape: number, random: Random): number {
  if (shape < 1) return unitGamma(shape + 1, random) * (1 - random()) ** (1 / shape)
  const d = shape - 1 / 3
  const c = 1 / Math.sqrt(9 * d)
  for (;;) {
    const x = standardNormal(random)
    const v = (1 + c * x) ** 3
    if (v <= 0) continue
    if (Math.log(1 - random()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v
  }
}

function unitExponential(random: Random): number {
  // 1 - u lies in (0, 1], so the logarithm is finite.
  return -Math.log(1 - random())
}

function requirePositive(name: string, value: number): void {
  if (!(value > 0) || value === Infinity) throw new RangeError(`${name} must be positive, got ${value}`)
}

function requireTrace(offsetsMs: readonly number[]): void {
  if (offsetsMs.length === 0) throw new RangeError('a trace needs at least one offset')
  let before = 0
  for (const [index, offsetMs] of offsetsMs.entries()) {
    if (!Number.isFinite(offsetMs) || offsetMs < before) {
      throw new RangeError(`offsetsMs[${index}] must be finite and not below ${before}, got ${offsetMs}`)
    }
    before = offsetMs
  }
}
