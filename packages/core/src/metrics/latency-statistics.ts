/** Statistics of one latency over the requests of a step: exact from samples, or from the histogram of gaps. */
import { batchMeans, effectiveSampleSize, meanOf } from './batch-means.ts'
import type { GapStatistics } from './gap-histogram.ts'
import { percentileOfSorted, rankInterval, SHOWN_PERCENTILES, tooFewFor } from './percentile.ts'
import type { LatencyStatistics } from './step-summary.ts'

/** The values of one latency, ms. */
export interface LatencyValues {
  /** In the order of the schedule. */
  readonly values: Float64Array
  /** The same, ascending. */
  readonly sorted: Float64Array
}

const PERCENTILES = { p50: 50, p90: 90, p95: 95, p99: 99 } as const

export function latencyStatistics({ values, sorted }: LatencyValues): LatencyStatistics {
  const n = values.length
  if (n === 0) return NO_STATISTICS
  const at = (percentile: number) => percentileOfSorted(sorted, percentile)
  const interval = (percentile: number): readonly [number | null, number | null] => {
    const [lower, upper] = rankInterval({ n, percentile })
    return [
      lower === null ? null : (sorted[lower - 1] ?? null),
      upper === null ? null : (sorted[upper - 1] ?? null),
    ]
  }
  return {
    n,
    effectiveN: effectiveSampleSize(values),
    mean: meanOf(values),
    relativeError: batchMeans(values)?.relativeError ?? null,
    p50: at(PERCENTILES.p50),
    p90: at(PERCENTILES.p90),
    p95: at(PERCENTILES.p95),
    p99: at(PERCENTILES.p99),
    max: sorted[n - 1] ?? null,
    tooFew: tooFewFor(n),
    intervals: {
      p50: interval(PERCENTILES.p50),
      p90: interval(PERCENTILES.p90),
      p95: interval(PERCENTILES.p95),
      p99: interval(PERCENTILES.p99),
    },
    quantiles: quantilesOf(at),
  }
}

/**
 * One engine step sends a token to every running stream at once, so gaps are worth as many independent values as there
 * were engine steps, about window / mean gap, and not as many as there were tokens.
 */
export function gapStatistics(gaps: GapStatistics, windowMs: number): LatencyStatistics {
  if (gaps.count === 0 || gaps.meanMs === null) return NO_STATISTICS
  const engineSteps = gaps.meanMs === 0 ? gaps.count : windowMs / gaps.meanMs
  const effectiveN = Math.min(gaps.count, Math.max(1, engineSteps))
  return {
    n: gaps.count,
    effectiveN,
    mean: gaps.meanMs,
    relativeError: null,
    p50: gaps.percentileMs(PERCENTILES.p50),
    p90: gaps.percentileMs(PERCENTILES.p90),
    p95: gaps.percentileMs(PERCENTILES.p95),
    p99: gaps.percentileMs(PERCENTILES.p99),
    max: gaps.percentileMs(100),
    tooFew: tooFewFor(effectiveN),
    intervals: null,
    quantiles: quantilesOf(gaps.percentileMs),
  }
}

/** Quantiles a distribution is drawn with: enough for a smooth line, few enough for a page of many levels. */
const QUANTILE_STEPS = 50

function quantilesOf(percentileMs: (percentile: number) => number | null): readonly number[] {
  const percentiles = Array.from({ length: QUANTILE_STEPS + 1 }, (_, index) => (100 * index) / QUANTILE_STEPS)
  // A microsecond is finer than any clock here resolves a network.
  return percentiles.map((percentile) => Math.round((percentileMs(percentile) ?? 0) * 1000) / 1000)
}

export const NO_STATISTICS: LatencyStatistics = {
  n: 0,
  effectiveN: null,
  mean: null,
  relativeError: null,
  p50: null,
  p90: null,
  p95: null,
  p99: null,
  max: null,
  tooFew: SHOWN_PERCENTILES.filter((name) => name !== 'p50'),
  intervals: null,
  quantiles: [],
}
