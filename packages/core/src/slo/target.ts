/** A promise: one percentile (or the mean) of one latency stays under a limit. */

import type { SloMetric } from '../metrics/slo-metric.ts'
import { SLO_METRICS } from '../metrics/slo-metric.ts'

export interface SloTarget {
  readonly metric: SloMetric
  /** A percentile in (0, 100), or the mean where somebody asked for it by name. */
  readonly percentile: number | 'mean'
  readonly maxMs: number
}

export type ParsedTarget =
  | { readonly ok: true; readonly target: SloTarget }
  | { readonly ok: false; readonly message: string }

const FORM = /^\s*([A-Za-z0-9]+)\s*:\s*(p\d+(?:\.\d+)?|mean)\s*<=?\s*(\d+(?:\.\d+)?)\s*(ms|s)?\s*$/

/**
 * Reads `ttft:p95<800`, `tpot:mean<40`, `e2e:p95<30s`. Limits are ms unless they end in `s`.
 *
 * @returns the target, or a sentence about what is wrong with the text
 */
export function parseSloTarget(text: string): ParsedTarget {
  const match = FORM.exec(text)
  const [, name, statistic, limit, unit] = match ?? []
  if (name === undefined || statistic === undefined || limit === undefined) {
    return wrong(`"${text}" is no SLO; write it as ttft:p95<800 or tpot:mean<40 (limits in ms)`)
  }
  const metric = SLO_METRICS.find((one) => one.toLowerCase() === name.toLowerCase())
  if (metric === undefined) return wrong(`"${name}" is no SLO metric; choose from ${SLO_METRICS.join(', ')}`)
  const percentile = statistic === 'mean' ? 'mean' : Number(statistic.slice(1))
  if (percentile !== 'mean' && !(percentile > 0 && percentile < 100)) {
    return wrong(`"${statistic}" is no percentile; it must lie above 0 and below 100`)
  }
  const maxMs = Number(limit) * (unit === 's' ? 1_000 : 1)
  if (!(maxMs > 0)) return wrong(`the limit of "${text}" must be above 0 ms`)
  return { ok: true, target: { metric, percentile, maxMs } }
}

/** The inverse of {@link parseSloTarget}: `ttft:p95<800`. */
export function formatSloTarget({ metric, percentile, maxMs }: SloTarget): string {
  return `${metric}:${percentile === 'mean' ? 'mean' : `p${percentile}`}<${maxMs}`
}

const wrong = (message: string): ParsedTarget => ({ ok: false, message })
