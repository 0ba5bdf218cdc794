/** One reading of a server's metrics page, through a mapping. What the page does not hold is null, never 0. */

import type { TargetReading } from '@loadcurve/core/metrics/sample'
import type { MetricsMapping, SeriesKey } from './mapping.ts'
import { isSelected, type MetricSample } from './prometheus-text.ts'

/** The reading of a page taken at `atMs`. A server of several engines has a sample for each: counts add up. */
export function targetReading(
  samples: readonly MetricSample[],
  mapping: MetricsMapping,
  atMs: number,
): TargetReading {
  const total = (key: SeriesKey, suffix = '') => sum(valuesOf(samples, mapping, key, suffix))
  return {
    atMs,
    running: total('running'),
    waiting: total('waiting'),
    // A fraction of each engine's own cache: their mean, not their sum.
    kvUsageFraction: mean(valuesOf(samples, mapping, 'kvUsage', '')),
    queueTimeSumS: total('queueTime', '_sum'),
    queueTimeCount: total('queueTime', '_count'),
    preemptionsTotal: total('preemptions'),
    prefixCacheHitsTotal: total('prefixCacheHits'),
    prefixCacheQueriesTotal: total('prefixCacheQueries'),
  }
}

function valuesOf(
  samples: readonly MetricSample[],
  mapping: MetricsMapping,
  key: SeriesKey,
  suffix: string,
): number[] {
  for (const { name, labels } of mapping.series[key]) {
    const values = samples
      .filter((sample) => isSelected(sample, `${name}${suffix}`, labels))
      .map(({ value }) => value)
    const finite = values.filter((value) => Number.isFinite(value))
    if (finite.length > 0) return finite
  }
  return []
}

function sum(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((total, value) => total + value, 0)
}

function mean(values: readonly number[]): number | null {
  const total = sum(values)
  return total === null ? null : total / values.length
}
