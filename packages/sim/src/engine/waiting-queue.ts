import type { Sequence } from './sequence.ts'

/** First come, first served; a preempted sequence goes to the head. Taking from the head costs O(1) amortised. */
export class WaitingQueue {
  #items: Sequence[] = []
  #head = 0

  get size(): number {
    return this.#items.length - this.#head
  }

  first(): Sequence | null {
    return this.#items[this.#head] ?? null
  }

  append(sequence: Sequence): void {
    this.#items.push(sequence)
  }

  prepend(sequence: Sequence): void {
    if (this.#head > 0) this.#items[--this.#head] = sequence
    else this.#items.unshift(sequence)
  }

  removeFirst(): void {
    this.#head++
    // Half of the array is spent: copy the rest once instead of shifting at every removal.
    if (this.#head > 64 && this.#head * 2 > this.#items.length) this.#compact()
  }

  remove(sequence: Sequence): void {
    this.#compact()
    this.#items = this.#items.filter((other) => other !== sequence)
  }

  #compact(): void {
    this.#items = this.#items.slice(this.#head)
    this.#head = 0
  }
}
