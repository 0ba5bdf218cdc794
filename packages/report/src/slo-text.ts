/** Promises in words. */
import type { SloTarget } from '@loadcurve/core/capacity/recommendation'

const METRIC_WORDS: Readonly<Record<SloTarget['metric'], string>> = {
  ttft: 'TTFT',
  ttftScheduled: 'TTFT from schedule',
  firstVisibleToken: 'first visible token',
  tpot: 'TPOT',
  gap: 'token gap',
  e2e: 'end-to-end time',
  validJson: 'time to valid JSON',
}

/** `mean TPOT`, `p95 TTFT`. */
export function figureText({ metric, percentile }: Pick<SloTarget, 'metric' | 'percentile'>): string {
  return `${percentile === 'mean' ? 'mean' : `p${percentile}`} ${METRIC_WORDS[metric]}`
}

/** `p95 TTFT under 800 ms`. */
export function sloText(slo: SloTarget): string {
  return `${figureText(slo)} under ${slo.maxMs} ms`
}

/** What `batch.limitedBy` says. */
export function limitText(limitedBy: string): string {
  const [kind, metric, statistic] = limitedBy.split(':')
  if (kind === 'slo' && metric !== undefined && statistic !== undefined && metric in METRIC_WORDS) {
    const percentile = /^p?\d/.test(statistic) ? Number(statistic.replace('p', '')) : ('mean' as const)
    return `the promise on ${figureText({ metric: metric as SloTarget['metric'], percentile })}`
  }
  if (limitedBy === 'kv-memory') return 'memory: more sequences do not fit in the KV cache'
  if (limitedBy === 'throughput-onset') return 'throughput: a larger batch gives less than 2 % more'
  if (limitedBy === 'measured-range') return 'the measured range: larger batches were not measured'
  if (limitedBy === 'saturation') return 'saturation: the server never decodes more at once'
  return limitedBy
}
