/** Recommends on many tables drawn from one known law and counts how often the answer is right. */
import { recommend } from '@loadcurve/core/capacity/recommend'
import { stepTimeMs } from '@loadcurve/core/fit/law'
import { drawTable, type KnownLaw, throughput, trueBestBatch } from './known-laws.ts'

export interface RecoveryRecord {
  readonly truth: number
  /** Share of the tables whose interval holds the truth; a table without an answer counts as a miss. */
  readonly coveredShare: number
  readonly inconclusiveShare: number
  /** Median of interval width over the truth. */
  readonly medianWidthFraction: number
  /** Least throughput of a recommended batch over that of the best one, under the exact law. */
  readonly leastThroughputFraction: number
  /** Most by which a recommended batch misses the limit under the exact law; negative when it never does. */
  readonly worstExcessFraction: number
}

/** Runs one law over seeds 1 to `seeds`. */
export function recover(known: KnownLaw, seeds: number): RecoveryRecord {
  const truth = trueBestBatch(known)
  const answers = Array.from({ length: seeds }, (_, index) => answer(known, index + 1)).filter(
    (batch) => batch !== null,
  )
  const covered = answers.filter(({ interval: [low, high] }) => low <= truth && truth <= high)
  const widths = answers
    .map(({ interval: [low, high] }) => (high - low) / truth)
    .sort((left, right) => left - right)
  return {
    truth,
    coveredShare: covered.length / seeds,
    inconclusiveShare: 1 - answers.length / seeds,
    medianWidthFraction: widths[Math.floor(widths.length / 2)] ?? Number.POSITIVE_INFINITY,
    leastThroughputFraction: Math.min(
      ...answers.map(({ recommended }) => throughput(known, recommended) / throughput(known, truth)),
    ),
    worstExcessFraction: Math.max(
      ...answers.map(
        ({ recommended }) =>
          stepTimeMs(known.law, recommended) / (known.maxMs ?? Number.POSITIVE_INFINITY) - 1,
      ),
    ),
  }
}

function answer(
  known: KnownLaw,
  seed: number,
): { recommended: number; interval: readonly [number, number] } | null {
  const { verdict, batch } = recommend({
    levels: drawTable(known, seed),
    inputTokens: null,
    outputTokens: null,
    experts: known.experts,
    probes: [],
    seed,
    draws: 200,
    slo: known.maxMs === null ? [] : [{ metric: 'tpot', percentile: 'mean', maxMs: known.maxMs }],
    hardware: null,
  })
  if (verdict !== 'recommended' || batch.recommended === null || batch.interval === null) return null
  return { recommended: batch.recommended, interval: batch.interval }
}
