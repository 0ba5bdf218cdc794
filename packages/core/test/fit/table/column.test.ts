import { columnMeaning } from '@loadcurve/core/fit/table/column'
import { expect, test } from 'vitest'

test.each([
  ['concurrency', 'concurrency', 1],
  ['qps', 'ratePerS', 1],
  ['achieved_concurrency', 'achievedConcurrency', 1],
  ['req_s', 'requestsPerS', 1],
  ['throughput_tok_s', 'outputTokensPerS', 1],
  ['output_tok_s', 'outputTokensPerS', 1],
  ['n', 'requests', 1],
  ['n_requests', 'requests', 1],
  ['ok_rate', 'okFraction', 1],
  ['isl', 'inputTokens', 1],
  ['input_tokens', 'inputTokens', 1],
  ['osl', 'outputTokens', 1],
  ['output_tokens', 'outputTokens', 1],
  ['curve_id', 'curve', 1],
  ['ttft_ms', 'ttft.mean', 1],
  ['ttft_mean_ms', 'ttft.mean', 1],
  ['ttft_avg_ms', 'ttft.mean', 1],
  ['ttft_p50_ms', 'ttft.p50', 1],
  ['ttft_p90_ms', 'ttft.p90', 1],
  ['ttft_p95_ms', 'ttft.p95', 1],
  ['ttft_p99_ms', 'ttft.p99', 1],
  ['tpot_ms', 'tpot.mean', 1],
  ['tpot_p95_ms', 'tpot.p95', 1],
  ['itl_ms', 'gap.mean', 1],
  ['itl_p99_ms', 'gap.p99', 1],
  ['e2e_p95_ms', 'e2e.p95', 1],
  ['e2e_ms', 'e2e.mean', 1],
  ['mean_ttft_ms', 'ttft.mean', 1],
  ['median_tpot_ms', 'tpot.p50', 1],
  ['ttft_p95_s', 'ttft.p95', 1000],
  [' TTFT p95-ms ', 'ttft.p95', 1],
])('column: %s is %s', (header, field, factor) => {
  expect(columnMeaning(header)).toEqual({ field, factor })
})

test.each([
  '',
  'ttft',
  'ttft_p95',
  'ttft_p42_ms',
  'gpu',
  'ms',
  'p95_ms',
  'vllm_ttft_p50_ms',
  'constructor',
  'ttft_ttft_ms',
])('column: "%s" is none of ours', (header) => {
  expect(columnMeaning(header)).toBeNull()
})
