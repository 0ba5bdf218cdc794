/** The latency metrics that a promise can be made about. Their names are fixed: METRICS.md, "Percentiles". */

export const SLO_METRICS = [
  'ttft',
  'ttftScheduled',
  'firstVisibleToken',
  'tpot',
  'gap',
  'e2e',
  'validJson',
] as const
export type SloMetric = (typeof SLO_METRICS)[number]
