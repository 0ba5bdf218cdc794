/**
 * Where a closed loop runs the replica at a batch: the concurrency that keeps so many requests decoding, and what they
 * then see. Promises on TTFT and E2E pull it below the batch to set; percentiles are read off their own columns.
 */
import { concurrencyAt, ttftMs } from '../fit/closed-loop.ts'
import { fitColumn } from '../fit/column.ts'
import type { CurveFit } from '../fit/curve.ts'
import { type CurveLaw, stepTimeMs } from '../fit/law.ts'
import { largestBatch } from './batch.ts'
import type { LatencySummary, OperatingPoint } from './recommendation.ts'
import { sloName, sloValue } from './slo-column.ts'
import type { FitSettings, SloLimit } from './slo-limits.ts'

/**
 * The operating point at a batch, or at the largest smaller one that keeps the promises on TTFT and E2E.
 *
 * @returns null when no batch keeps them
 */
export function operatingPoint(
  curve: CurveFit,
  input: {
    fitted: CurveLaw
    batch: number
    limits: readonly SloLimit[]
    gpusPerReplica: number | null
    settings: FitSettings
  },
): OperatingPoint | null {
  const { fitted, limits, gpusPerReplica } = input
  const { law, outputTokens } = fitted
  const batch = limits
    .filter((limit) => limit.binds === 'load')
    .map((limit) => largestBatch(limit.curve, { maxMs: limit.maxMs, batchMax: input.batch }) ?? input.batch)
    .reduce((least, allowed) => Math.min(least, allowed), input.batch)
  if (batch < 1) return null
  const steps = outputTokens - 1
  const requestsPerS = (1000 * batch) / (steps * stepTimeMs(law, batch))
  const outputTokensPerS = requestsPerS * outputTokens
  return {
    concurrency: concurrencyAt(law, { batch, steps, thinkTimeMs: 0 }),
    requestsPerS,
    outputTokensPerS,
    outputTokensPerSPerGpu: gpusPerReplica === null ? null : outputTokensPerS / gpusPerReplica,
    goodputPerS: null,
    ttftMs: summary(curve, { ...input, batch, metric: 'ttft', typicalMs: ttftMs(law, batch) }),
    tpotMs: summary(curve, { ...input, batch, metric: 'tpot', typicalMs: stepTimeMs(law, batch) }),
    source: 'fitted',
  }
}

function summary(
  curve: CurveFit,
  at: { batch: number; metric: 'ttft' | 'tpot'; typicalMs: number; settings: FitSettings },
): LatencySummary {
  const statistic = curve.levels.find((level) => level.excluded === null)?.reading.statistic ?? 'mean'
  const column = (percentile: number) => columnAt(curve, { ...at, percentile })
  return {
    n: null,
    mean: statistic === 'mean' ? at.typicalMs : null,
    p50: statistic === 'p50' ? at.typicalMs : column(50),
    p90: column(90),
    p95: column(95),
    p99: column(99),
  }
}

function columnAt(
  curve: CurveFit,
  at: { batch: number; metric: 'ttft' | 'tpot'; percentile: number; settings: FitSettings },
): number | null {
  const slo = { metric: at.metric, percentile: at.percentile, maxMs: 1 }
  const fit = fitColumn(curve, {
    valueOf: (level) => sloValue(level, slo),
    unsaturatedOnly: at.metric === 'ttft',
    name: sloName(slo),
    ...at.settings,
    draws: 0,
  })
  return fit === null ? null : stepTimeMs(fit.curve, at.batch)
}
