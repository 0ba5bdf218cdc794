/** One sequence in the engine: a prompt and the answer that grows from it. Instants are ms on the engine's clock. */
export interface Sequence {
  readonly id: number
  readonly inputTokens: number
  /** Tokens it will produce in all, >= 1. */
  readonly outputTokens: number
  readonly arrivedAtMs: number
  /** Hashes of the prompt's full KV blocks, each chained to the ones before it; empty when nothing can be shared. */
  readonly prefixHashes: readonly number[]
  /** Noise factor on this prompt's prefill. */
  readonly prefillFactor: number
  /** Whom a live server tells of each token. Null in virtual time. */
  readonly onToken: ((sequence: Sequence) => void) | null
  state: 'waiting' | 'running' | 'finished' | 'cancelled'
  /** Tokens whose keys and values are in the cache. */
  computedTokens: number
  producedTokens: number
  /** Prompt tokens that the prefix cache supplied at the last admission. */
  cachedTokens: number
  /** Tokens that the step under way computes for it. */
  scheduledTokens: number
  heldBlocks: number
  preemptions: number
  /** Null until it happened. */
  admittedAtMs: number | null
  firstTokenAtMs: number | null
  lastTokenAtMs: number | null
}

/** What a client hands in. */
export interface SequenceRequest {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly arrivedAtMs: number
  readonly prefixHashes?: readonly number[]
  readonly onToken?: (sequence: Sequence) => void
}

export function newSequence(id: number, request: SequenceRequest, prefillFactor: number): Sequence {
  return {
    id,
    inputTokens: request.inputTokens,
    outputTokens: request.outputTokens,
    arrivedAtMs: request.arrivedAtMs,
    prefixHashes: request.prefixHashes ?? [],
    prefillFactor,
    onToken: request.onToken ?? null,
    state: 'waiting',
    computedTokens: 0,
    producedTokens: 0,
    cachedTokens: 0,
    scheduledTokens: 0,
    heldBlocks: 0,
    preemptions: 0,
    admittedAtMs: null,
    firstTokenAtMs: null,
    lastTokenAtMs: null,
  }
}

/** Tokens still to compute before its next token can leave: 1 while decoding, more during prefill or recompute. */
export function pendingTokens(sequence: Sequence): number {
  return sequence.inputTokens + sequence.producedTokens - sequence.computedTokens
}

/** True when its next step is a plain decode step. */
export function isDecoding(sequence: Sequence): boolean {
  return sequence.producedTokens > 0 && pendingTokens(sequence) === 1
}
