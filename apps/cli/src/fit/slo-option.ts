/** An SLO as people type it: `ttft:p95<800`, `tpot:mean<40`, `e2e:p99<30s`. */
import type { SloTarget } from '@loadcurve/core/capacity/recommendation'
import { SLO_METRICS, type SloMetric } from '@loadcurve/core/metrics/slo-metric'

const form = /^\s*([a-z0-9]+)\s*:\s*(mean|p\d+(?:\.\d+)?)\s*<=?\s*(\d+(?:\.\d+)?)\s*(ms|s)?\s*$/i

/** The target, or what is wrong with the text. */
export function readSlo(text: string): SloTarget | string {
  const match = form.exec(text)
  if (match === null) return `must look like ttft:p95<800 or tpot:mean<40 (ms), got "${text}"`
  const [, name = '', statistic = '', limit = '', unit = 'ms'] = match
  const metric = metricOf(name)
  if (metric === null) {
    const itl = /^itl$/i.test(name) ? '; a percentile of single gaps is "gap", one of requests "tpot"' : ''
    return `"${name}" is no metric; choose from ${SLO_METRICS.join(', ')}${itl}`
  }
  const percentile = /^mean$/i.test(statistic) ? ('mean' as const) : Number(statistic.slice(1))
  if (percentile !== 'mean' && !(percentile > 0 && percentile < 100)) {
    return `a percentile lies between p0 and p100, got ${statistic}`
  }
  const maxMs = Number(limit) * (unit.toLowerCase() === 's' ? 1000 : 1)
  return maxMs > 0 ? { metric, percentile, maxMs } : `the limit must be more than zero, got ${limit}`
}

function metricOf(name: string): SloMetric | null {
  return SLO_METRICS.find((metric) => metric.toLowerCase() === name.toLowerCase()) ?? null
}
