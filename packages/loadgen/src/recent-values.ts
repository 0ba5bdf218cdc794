/** The latest values of a figure, for whoever watches: a median of what happens now, not of the whole step. */

const VALUES_MAX = 200

export class RecentValues {
  readonly #values: number[] = []
  #next = 0

  record(value: number): void {
    // A ring: the oldest value makes room, and nothing is moved.
    this.#values[this.#next] = value
    this.#next = (this.#next + 1) % VALUES_MAX
  }

  /** The lower median of the last 200 values, null while there is none. */
  median(): number | null {
    const sorted = this.#values.toSorted((left, right) => left - right)
    return sorted[Math.floor((sorted.length - 1) / 2)] ?? null
  }
}
