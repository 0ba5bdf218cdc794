/**
 * What a column's name says: the quantity, its statistic, its unit. `ttft_ms` is a mean, `ttft_p95_ms` and
 * `p95_ttft_ms` a percentile, `ttft_s` the same in seconds.
 *
 * The mean gap between tokens and the mean TPOT are the same figure (both divide one span by one count), so `itl_ms`
 * is read as either. Their percentiles are not: an `itl` percentile runs over single gaps, a `tpot` percentile over
 * requests, and so `itl_p95_ms` is the `gap` metric.
 */

const STATISTICS = ['mean', 'p50', 'p90', 'p95', 'p99'] as const
export type Statistic = (typeof STATISTICS)[number]

export type LatencyMetric = 'ttft' | 'tpot' | 'gap' | 'e2e'

export type LatencyField = `${LatencyMetric}.${Statistic}`

export type ScalarField =
  | 'concurrency'
  | 'ratePerS'
  | 'achievedConcurrency'
  | 'requestsPerS'
  | 'outputTokensPerS'
  | 'requests'
  | 'okFraction'
  | 'inputTokens'
  | 'outputTokens'

/** A figure that a row can carry, in the units of `Level`; `curve` is the one that is text. */
export type Field = ScalarField | LatencyField | 'curve'

export interface ColumnMeaning {
  readonly field: Field
  /** Multiplies a cell to give the field's own unit: 1000 for a column in seconds. */
  readonly factor: number
}

const SCALAR_NAMES: Readonly<Record<string, Field>> = {
  concurrency: 'concurrency',
  qps: 'ratePerS',
  achieved_concurrency: 'achievedConcurrency',
  req_s: 'requestsPerS',
  output_tok_s: 'outputTokensPerS',
  throughput_tok_s: 'outputTokensPerS',
  n: 'requests',
  n_requests: 'requests',
  ok_rate: 'okFraction',
  input_tokens: 'inputTokens',
  isl: 'inputTokens',
  output_tokens: 'outputTokens',
  osl: 'outputTokens',
  curve_id: 'curve',
}

const METRIC_NAMES: Readonly<Record<string, LatencyMetric>> = {
  ttft: 'ttft',
  tpot: 'tpot',
  itl: 'gap',
  e2e: 'e2e',
}
const STATISTIC_NAMES: Readonly<Record<string, Statistic>> = { avg: 'mean', median: 'p50' }
const UNIT_FACTORS: Readonly<Record<string, number>> = { ms: 1, s: 1000 }

/** Shown when somebody maps a name that is none. */
export const COLUMN_NAMES_HELP =
  'concurrency, qps, achieved_concurrency, req_s, output_tok_s, throughput_tok_s, n, ok_rate, input_tokens, ' +
  'output_tokens, curve_id, and ttft, tpot, itl or e2e as ttft_ms, ttft_mean_ms, ttft_p50_ms, _p90_, _p95_, _p99_'

/** A header as it is compared: case, blanks and hyphens do not tell columns apart. */
export function normalName(header: string): string {
  return header
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
}

/** The meaning of a header, or null when it is not one of ours. */
export function columnMeaning(header: string): ColumnMeaning | null {
  const name = normalName(header)
  const scalar = Object.hasOwn(SCALAR_NAMES, name) ? SCALAR_NAMES[name] : undefined
  if (scalar !== undefined) return { field: scalar, factor: 1 }
  const words = name.split('_')
  const factor = UNIT_FACTORS[words.pop() ?? '']
  if (factor === undefined || words.length === 0 || words.length > 2) return null
  const metric = words.map((word) => METRIC_NAMES[word]).find((found) => found !== undefined)
  const statistic = words.length === 1 ? 'mean' : statisticOf(words)
  if (metric === undefined || statistic === null) return null
  return { field: `${metric}.${statistic}`, factor }
}

function statisticOf(words: readonly string[]): Statistic | null {
  const found = words.map((word) => STATISTIC_NAMES[word] ?? STATISTICS.find((name) => name === word))
  return found.find((statistic) => statistic !== undefined) ?? null
}
