/**
 * What a law implies when N clients each keep one request in flight.
 *
 * Let b requests decode. Each needs O − 1 further steps of itl(b) ms, so X(b) = b / ((O − 1)·itl(b)) requests finish
 * per ms, and X(b)·ttft(b) more are before their first token (Little's law). N(b) = b + X(b)·(ttft(b) + Z) grows with
 * b, so the b of a given N is found by bracketing. Beyond B* nothing more decodes: b and X stay, and every further
 * client only waits, which adds 1/X to everybody's TTFT.
 */
import { type StepLaw, stepTimeMs } from './law.ts'

export interface ClosedLoopPoint {
  /** Mean decode batch b. */
  readonly batch: number
  readonly requestsPerS: number
  readonly tpotMs: number
  readonly ttftMs: number
  /** True when N is past the saturation B*. */
  readonly saturated: boolean
}

/**
 * The closed-loop operating point of a law at N clients.
 *
 * @param concurrency N > 0 clients
 * @param outputTokens O > 1, mean tokens per answer
 * @param thinkTimeMs Z ≥ 0 between an answer and the next request
 * @throws RangeError when concurrency is not positive or outputTokens is not above 1
 */
export function closedLoopPoint(
  law: StepLaw,
  load: { concurrency: number; outputTokens: number; thinkTimeMs?: number },
): ClosedLoopPoint {
  const { concurrency, outputTokens, thinkTimeMs = 0 } = load
  if (!(concurrency > 0)) throw new RangeError(`concurrency must be positive, got ${concurrency}`)
  if (!(outputTokens > 1)) throw new RangeError(`outputTokens must be above 1, got ${outputTokens}`)
  const steps = outputTokens - 1
  const cap = law.saturationBatch ?? Number.POSITIVE_INFINITY
  if (concurrencyAt(law, { batch: Math.min(cap, concurrency), steps, thinkTimeMs }) <= concurrency) {
    return saturatedPoint(law, { batch: Math.min(cap, concurrency), concurrency, steps, thinkTimeMs })
  }
  const batch = solveBatch(law, { concurrency, steps, thinkTimeMs, batchMax: Math.min(cap, concurrency) })
  const tpotMs = stepTimeMs(law, batch)
  return {
    batch,
    requestsPerS: (1000 * batch) / (steps * tpotMs),
    tpotMs,
    ttftMs: ttftMs(law, batch),
    saturated: false,
  }
}

/** Clients that keep b requests decoding: N(b) = b + X(b)·(ttft(b) + Z). Meaningful up to B*. */
export function concurrencyAt(
  law: StepLaw,
  at: { batch: number; steps: number; thinkTimeMs: number },
): number {
  const perMs = at.batch / (at.steps * stepTimeMs(law, at.batch))
  return at.batch + perMs * (ttftMs(law, at.batch) + at.thinkTimeMs)
}

/** Mean TTFT below saturation, t0 + t1·b, ms. */
export function ttftMs(law: StepLaw, batch: number): number {
  return law.ttftBaseMs + law.ttftSlopeMs * batch
}

function saturatedPoint(
  law: StepLaw,
  at: { batch: number; concurrency: number; steps: number; thinkTimeMs: number },
): ClosedLoopPoint {
  const tpotMs = stepTimeMs(law, at.batch)
  const perMs = at.batch / (at.steps * tpotMs)
  return {
    batch: at.batch,
    requestsPerS: 1000 * perMs,
    tpotMs,
    ttftMs: at.concurrency / perMs - at.steps * tpotMs - at.thinkTimeMs,
    saturated: true,
  }
}

// Illinois false position: keeps the bracket, converges superlinearly, needs no derivative of the law.
function solveBatch(
  law: StepLaw,
  at: { concurrency: number; steps: number; thinkTimeMs: number; batchMax: number },
): number {
  const { concurrency, steps, thinkTimeMs } = at
  // Written out: this is the innermost loop of the bootstrap, and an object per call would double its time.
  const excess = (batch: number) =>
    batch + (batch / (steps * stepTimeMs(law, batch))) * (ttftMs(law, batch) + thinkTimeMs) - concurrency
  let low = 0
  let high = at.batchMax
  let lowExcess = -concurrency
  let highExcess = excess(high)
  let side = 0
  for (let iteration = 0; iteration < 60; iteration++) {
    const batch = (low * highExcess - high * lowExcess) / (highExcess - lowExcess)
    const value = excess(batch)
    if (Math.abs(value) <= 1e-12 * concurrency) return batch
    if (value > 0) {
      high = batch
      highExcess = value
      if (side === 1) lowExcess /= 2
      side = 1
    } else {
      low = batch
      lowExcess = value
      if (side === -1) highExcess /= 2
      side = -1
    }
  }
  return (low + high) / 2
}
