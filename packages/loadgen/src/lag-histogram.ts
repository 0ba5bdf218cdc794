/**
 * A histogram of lags that costs a few nanoseconds to record, for the hot path. Buckets grow by 2 % (so a percentile is
 * that exact), from a microsecond to a quarter of an hour; anything beyond counts into the last one.
 */
const growth = Math.log(1.02)
const smallestMs = 0.001
const buckets = 1024

export class LagHistogram {
  readonly #counts = new Uint32Array(buckets)
  #total = 0

  get count(): number {
    return this.#total
  }

  record(lagMs: number, times = 1): void {
    const bucket = lagMs <= smallestMs ? 0 : Math.ceil(Math.log(lagMs / smallestMs) / growth)
    const index = bucket < buckets ? bucket : buckets - 1
    this.#counts[index] = (this.#counts[index] ?? 0) + times
    this.#total += times
  }

  reset(): void {
    this.#counts.fill(0)
    this.#total = 0
  }

  /** Upper edge of the bucket that holds the percentile, ms; null when nothing was recorded. */
  percentileMs(percentile: number): number | null {
    if (this.#total === 0) return null
    const rank = Math.max(1, Math.ceil((percentile / 100) * this.#total))
    let seen = 0
    for (let bucket = 0; bucket < buckets; bucket++) {
      seen += this.#counts[bucket] ?? 0
      if (seen >= rank) return smallestMs * Math.exp(bucket * growth)
    }
    return null
  }
}
