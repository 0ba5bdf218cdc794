/** Remembers which prompt blocks have been computed, least recently used out first. Bounded by `capacityBlocks`. */
export class PrefixCache {
  readonly #capacityBlocks: number
  /** A Map keeps insertion order, so its first key is the block that was used longest ago. */
  readonly #blocks = new Map<number, true>()

  constructor(capacityBlocks: number) {
    this.#capacityBlocks = capacityBlocks
  }

  /** How many leading blocks of this prompt are known. */
  leadingHits(hashes: readonly number[]): number {
    let hits = 0
    while (hits < hashes.length && this.#blocks.has(hashes[hits] ?? Number.NaN)) hits++
    return hits
  }

  remember(hashes: readonly number[]): void {
    for (const hash of hashes) {
      this.#blocks.delete(hash)
      this.#blocks.set(hash, true)
    }
    for (const oldest of this.#blocks.keys()) {
      if (this.#blocks.size <= this.#capacityBlocks) break
      this.#blocks.delete(oldest)
    }
  }

  clear(): void {
    this.#blocks.clear()
  }
}
