/** A row of figures as the level that the fit sees. */
import type { LatencyColumn, Level } from '../level.ts'
import type { TableOptions } from '../table.ts'
import type { LatencyMetric, ScalarField } from './column.ts'
import type { ReadRow } from './rows.ts'

/** Achieved output lengths further than this from the said ones are another workload (METRICS.md, length control). */
const lengthErrorMax = 0.1

export function levelOf(row: ReadRow, options: Pick<TableOptions, 'inputTokens' | 'outputTokens'>): Level {
  const scalar = (field: ScalarField) => row.values.get(field) ?? null
  const outputTokensPerS = scalar('outputTokensPerS')
  const requestsPerS = scalar('requestsPerS')
  const outputTokens =
    scalar('outputTokens') ?? options.outputTokens ?? quotient(outputTokensPerS, requestsPerS)
  const concurrency = scalar('concurrency')
  return {
    label: `line ${row.line}`,
    kind: concurrency === null ? 'open-loop' : 'closed-loop',
    concurrency,
    ratePerS: scalar('ratePerS'),
    achievedConcurrency: scalar('achievedConcurrency'),
    // Both follow from their definitions, not from Little's law: that derivation is the fit's, which must know of it.
    requestsPerS: requestsPerS ?? quotient(outputTokensPerS, outputTokens),
    outputTokensPerS: outputTokensPerS ?? product(requestsPerS, outputTokens),
    inputTokens: scalar('inputTokens') ?? options.inputTokens,
    outputTokens,
    requests: scalar('requests'),
    okFraction: scalar('okFraction'),
    thinkTimeS: 0,
    ttftMs: latency(row, 'ttft'),
    tpotMs: latency(row, 'tpot'),
    gapMs: latency(row, 'gap'),
    e2eMs: latency(row, 'e2e'),
    batchLimit: null,
    server: null,
    errors: null,
    excluded: lengthDiffers(row, outputTokens) ? 'output-length-differs' : null,
  }
}

function latency({ values }: ReadRow, metric: LatencyMetric): LatencyColumn {
  return {
    mean: values.get(`${metric}.mean`) ?? null,
    p50: values.get(`${metric}.p50`) ?? null,
    p90: values.get(`${metric}.p90`) ?? null,
    p95: values.get(`${metric}.p95`) ?? null,
    p99: values.get(`${metric}.p99`) ?? null,
  }
}

const quotient = (over: number | null, under: number | null) =>
  over === null || under === null ? null : over / under

const product = (left: number | null, right: number | null) =>
  left === null || right === null ? null : left * right

// A rate of 0.2/s that was rounded to one digit may be 0.15 or 0.25: what rounding explains is no difference.
function lengthDiffers(row: ReadRow, said: number | null): boolean {
  const tokensPerS = row.values.get('outputTokensPerS')
  const requestsPerS = row.values.get('requestsPerS')
  if (tokensPerS === undefined || requestsPerS === undefined || said === null) return false
  const rounding = roundingFraction(tokensPerS) + roundingFraction(requestsPerS)
  return Math.abs(tokensPerS / requestsPerS / said - 1) > lengthErrorMax + rounding
}

// Half a unit of the last digit, as a fraction of the value.
function roundingFraction(value: number): number {
  const decimals = String(value).split('.')[1]?.length ?? 0
  return (0.5 * 10 ** -decimals) / value
}
