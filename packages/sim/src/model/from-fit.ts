/**
 * Turns a fitted closed-loop curve, TPOT = a + s*b, into a server law that decodes and prefills separately.
 *
 * The slope s contains the prefill of the *other* requests: while one decodes, b - 1 of the b others each send a prompt
 * through the engine. So s = c + P/(O - 1), and, because nobody waits for its own prompt while decoding, the intercept
 * of the law is a + P/(O - 1), not a. (Without that the law is 4 % too fast at one client.) P is taken from the TTFT of
 * a lone client, which is one step: a + P. A prefilling sequence holds a slot, so the cap is above the saturated decode
 * batch by the mean number of prefills under way, X * P.
 */
import type { ServerLaw } from './law.ts'

export interface FittedCurve {
  /** a and s, ms. */
  readonly baseMs: number
  readonly slopeMs: number
  /** B*, the decode batch at saturation. */
  readonly saturationBatch: number
  /** TTFT of a lone client, ms. */
  readonly loneTtftMs: number
  readonly outputTokens: number
}

/** @throws RangeError when answers have a single token, or prefill alone explains more than the slope */
export function lawFromFit({
  baseMs,
  slopeMs,
  saturationBatch,
  loneTtftMs,
  outputTokens,
}: FittedCurve): ServerLaw {
  if (!(outputTokens > 1)) throw new RangeError(`outputTokens must exceed 1, got ${outputTokens}`)
  const prefillMs = loneTtftMs - baseMs
  const perStepMs = prefillMs / (outputTokens - 1)
  if (!(prefillMs >= 0 && perStepMs <= slopeMs)) {
    throw new RangeError(
      `a prefill of ${prefillMs} ms does not fit a slope of ${slopeMs} ms over ${outputTokens} tokens`,
    )
  }
  const saturatedTpotMs = baseMs + slopeMs * saturationBatch
  const requestsPerMs = saturationBatch / ((outputTokens - 1) * saturatedTpotMs)
  return {
    baseMs: baseMs + perStepMs,
    perSequenceMs: slopeMs - perStepMs,
    perContextTokenMs: 0,
    experts: null,
    capturedBatches: [],
    // All prompts of a fitted table have one length, so the split over tokens does not matter.
    prefill: { perPromptMs: prefillMs, perTokenMs: 0, perTokenSquaredMs: 0 },
    maxNumSeqs: Math.round(saturationBatch + requestsPerMs * prefillMs),
    maxNumBatchedTokens: null,
    kv: null,
    prefixCache: false,
    noise: { stepCv: 0, prefillCv: 0 },
    hiccup: null,
  }
}
