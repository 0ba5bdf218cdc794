import type { Sequence } from './sequence.ts'

/** The KV-cache memory in blocks. With no law for it there is always room, and nothing is counted. */
export class BlockPool {
  readonly #kv: { readonly blocks: number; readonly blockTokens: number } | null
  #free: number

  constructor(kv: { readonly blocks: number; readonly blockTokens: number } | null) {
    this.#kv = kv
    this.#free = kv?.blocks ?? Number.POSITIVE_INFINITY
  }

  get usageFraction(): number {
    return this.#kv === null ? 0 : 1 - this.#free / this.#kv.blocks
  }

  /** True when a sequence of so many cached tokens could ever be held. */
  couldHold(tokens: number): boolean {
    return this.#kv === null || this.#blocksFor(tokens) <= this.#kv.blocks
  }

  /** Gives the sequence the blocks it lacks for `tokens` cached tokens; false, and nothing given, when too few are free. */
  grow(sequence: Sequence, tokens: number): boolean {
    const missing = this.#blocksFor(tokens) - sequence.heldBlocks
    if (missing > this.#free) return false
    this.#free -= missing
    sequence.heldBlocks += missing
    return true
  }

  release(sequence: Sequence): void {
    this.#free += sequence.heldBlocks
    sequence.heldBlocks = 0
  }

  #blocksFor(tokens: number): number {
    return this.#kv === null ? 0 : Math.ceil(tokens / this.#kv.blockTokens)
  }
}
