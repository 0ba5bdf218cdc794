/**
 * The law of the simulated server: how long one engine step takes, and what may share it.
 *
 * An engine with continuous batching runs one forward pass after another. In each step every decoding sequence gets
 * one token, and prompts are prefilled beside them, whole or in chunks that fit a token budget. The step takes
 *
 *     a  +  c * pad(b)  +  d * (1 - (1 - f)^pad(b))  +  k * contextTokens  +  prefill of the prompt tokens in this step
 *
 * a: reading the weights, paid by every step. c: per decoding sequence. pad(b): b, or the next captured CUDA-graph
 * size. d, f: experts of a mixture that b tokens wake up, f = active experts / experts. k: reading the KV cache of one
 * context token. Prefilling the tokens (x, y] of a prompt costs p1*(y - x) + p2*(y^2 - x^2), and p0 once per prompt, so
 * that chunks add up to P(I) = p0 + p1*I + p2*I^2.
 *
 * Everything a client can see follows from this law and the queueing of `engine/`; `truth/` says what follows.
 */
export interface ServerLaw {
  /** a, ms per step, > 0. */
  readonly baseMs: number
  /** c, ms per step and decoding sequence, >= 0. */
  readonly perSequenceMs: number
  /** k, ms per step and context token of the decoding sequences, >= 0. */
  readonly perContextTokenMs: number
  /** Mixture of experts: d and f. Null: dense. */
  readonly experts: { readonly scaleMs: number; readonly activeFraction: number } | null
  /** Batch sizes a decode step is padded up to, increasing; empty: no padding. Beyond the last one nothing is padded. */
  readonly capturedBatches: readonly number[]
  /** p0, p1, p2. */
  readonly prefill: {
    readonly perPromptMs: number
    readonly perTokenMs: number
    readonly perTokenSquaredMs: number
  }
  /** Sequences that may run (prefill or decode) at once, >= 1. */
  readonly maxNumSeqs: number
  /** Tokens that one step may process (a decoding sequence counts one). Null: prompts are never chunked. */
  readonly maxNumBatchedTokens: number | null
  /** KV-cache memory. Null: it never runs out. */
  readonly kv: { readonly blocks: number; readonly blockTokens: number } | null
  readonly prefixCache: boolean
  /** Coefficients of variation of lognormal factors with mean 1: on each step, and on each prompt's prefill. */
  readonly noise: { readonly stepCv: number; readonly prefillCv: number }
  /** At every multiple of `everyMs` on the clock, the step under way takes `pauseMs` longer. Null: never. */
  readonly hiccup: { readonly everyMs: number; readonly pauseMs: number } | null
}

/** A decode step of b sequences whose contexts add up to `contextTokens`, without prefill; ms. */
export function decodeStepMs(law: ServerLaw, batch: number, contextTokens: number): number {
  const padded = paddedBatch(law.capturedBatches, batch)
  const experts =
    law.experts === null ? 0 : law.experts.scaleMs * (1 - (1 - law.experts.activeFraction) ** padded)
  return law.baseMs + law.perSequenceMs * padded + experts + law.perContextTokenMs * contextTokens
}

/** Prefilling the tokens (from, to] of one prompt; `first` when no earlier chunk of it has run. ms. */
export function prefillChunkMs(law: ServerLaw, chunk: { from: number; to: number; first: boolean }): number {
  const { perPromptMs, perTokenMs, perTokenSquaredMs } = law.prefill
  const tokensMs = perTokenMs * (chunk.to - chunk.from)
  const attentionMs = perTokenSquaredMs * (chunk.to * chunk.to - chunk.from * chunk.from)
  return (chunk.first ? perPromptMs : 0) + tokensMs + attentionMs
}

/** P(I): the whole prefill of a prompt, ms, without the `a` of the steps that carry it. */
export function promptPrefillMs(law: ServerLaw, inputTokens: number): number {
  return prefillChunkMs(law, { from: 0, to: inputTokens, first: true })
}

/** How much longer a step from `startMs` of `durationMs` takes for the hiccups that fall into it; ms. */
export function hiccupMs(law: ServerLaw, startMs: number, durationMs: number): number {
  if (law.hiccup === null) return 0
  const { everyMs, pauseMs } = law.hiccup
  return pauseMs * (Math.floor((startMs + durationMs) / everyMs) - Math.floor(startMs / everyMs))
}

/** The same server, `speed` times faster in everything that takes time. */
export function fasterLaw(law: ServerLaw, speed: number): ServerLaw {
  if (!(speed > 0)) throw new RangeError(`speed must be positive, got ${speed}`)
  return {
    ...law,
    baseMs: law.baseMs / speed,
    perSequenceMs: law.perSequenceMs / speed,
    perContextTokenMs: law.perContextTokenMs / speed,
    experts: law.experts && { ...law.experts, scaleMs: law.experts.scaleMs / speed },
    prefill: {
      perPromptMs: law.prefill.perPromptMs / speed,
      perTokenMs: law.prefill.perTokenMs / speed,
      perTokenSquaredMs: law.prefill.perTokenSquaredMs / speed,
    },
    hiccup: law.hiccup && { everyMs: law.hiccup.everyMs / speed, pauseMs: law.hiccup.pauseMs / speed },
  }
}

function paddedBatch(captured: readonly number[], batch: number): number {
  if (batch === 0) return 0
  for (const size of captured) if (size >= batch) return size
  return batch
}
