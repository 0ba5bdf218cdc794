/**
 * Percentiles that say how much they know. The value is Hyndman and Fan's type 7 (The American Statistician 50, 1996):
 * linear between order statistics, h = (n - 1)*p. Its uncertainty needs no distribution: the number of values below
 * the true p-quantile is Binomial(n, p), so two order statistics enclose the quantile with a probability that depends
 * on n and p alone (n = 200: the 184th and 197th for p95; n = 1000: the 936th and 964th).
 */
import { binomialQuantile } from './incomplete-beta.ts'

/** Fewest values below which a percentile is not shown as a number but as "too few". */
export const PERCENTILE_SAMPLES_MIN = { p90: 64, p95: 130, p99: 662 } as const

export const SHOWN_PERCENTILES = ['p50', 'p90', 'p95', 'p99'] as const
export type ShownPercentile = (typeof SHOWN_PERCENTILES)[number]

/**
 * Type 7 percentile of sorted values.
 *
 * @param sorted ascending
 * @param percentile in [0, 100]
 * @returns null when there are no values
 * @throws RangeError when percentile is out of range
 */
export function percentileOfSorted(sorted: ArrayLike<number>, percentile: number): number | null {
  if (!(percentile >= 0 && percentile <= 100)) {
    throw new RangeError(`percentile must lie in [0, 100], got ${percentile}`)
  }
  const position = ((sorted.length - 1) * percentile) / 100
  const index = Math.floor(position)
  const below = sorted[index]
  if (below === undefined) return null
  const above = sorted[index + 1] ?? below
  return below + (position - index) * (above - below)
}

/**
 * Ranks (counted from 1) of the order statistics that enclose the true percentile with at least this confidence.
 * Null on a side where no value is far enough out.
 */
export function rankInterval({
  n,
  percentile,
  confidence = 0.95,
}: {
  readonly n: number
  readonly percentile: number
  readonly confidence?: number
}): readonly [number | null, number | null] {
  if (n === 0) return [null, null]
  const p = percentile / 100
  const tail = (1 - confidence) / 2
  const lower = binomialQuantile({ probability: tail, n, p })
  const upper = binomialQuantile({ probability: 1 - tail, n, p }) + 1
  return [lower >= 1 ? lower : null, upper <= n ? upper : null]
}

/** The percentiles that n values are too few for. */
export function tooFewFor(n: number): ShownPercentile[] {
  return SHOWN_PERCENTILES.filter((name) => name !== 'p50' && n < PERCENTILE_SAMPLES_MIN[name])
}
