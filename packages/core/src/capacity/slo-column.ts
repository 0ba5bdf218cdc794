/** Which column of a level an SLO is judged on. */
import type { LatencyColumn, Level } from '../fit/level.ts'
import type { SloTarget } from './recommendation.ts'

/** `tpot:p95`, `ttft:mean`: an SLO's metric and statistic, as options and codes write it. */
export function sloName({ metric, percentile }: SloTarget): string {
  return percentile === 'mean' ? `${metric}:mean` : `${metric}:p${percentile}`
}

/** The value of an SLO's column at a level, ms; null where the level does not carry it. */
export function sloValue(level: Level, slo: SloTarget): number | null {
  const column = latencyColumn(level, slo.metric)
  if (column === null) return null
  if (slo.percentile === 'mean') return column.mean
  if (slo.percentile === 50) return column.p50
  if (slo.percentile === 90) return column.p90
  if (slo.percentile === 95) return column.p95
  if (slo.percentile === 99) return column.p99
  return null
}

// In closed loop nobody is scheduled: a request is due when it is sent, so both TTFTs are one column.
function latencyColumn(level: Level, metric: SloTarget['metric']): LatencyColumn | null {
  if (metric === 'tpot') return level.tpotMs
  if (metric === 'gap') return level.gapMs
  if (metric === 'ttft' || metric === 'ttftScheduled') return level.ttftMs
  return metric === 'e2e' ? level.e2eMs : null
}
