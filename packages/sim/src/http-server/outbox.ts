/** Whoever has something to write at the end of the step. */
export interface Flushable {
  flush(): void
}

/** Collects writers while a step hands out its tokens, and writes them all at its end. */
export class Outbox {
  #waiting: Flushable[] = []

  add(writer: Flushable): void {
    this.#waiting.push(writer)
  }

  flush(): void {
    const writers = this.#waiting
    this.#waiting = []
    for (const writer of writers) writer.flush()
  }
}
