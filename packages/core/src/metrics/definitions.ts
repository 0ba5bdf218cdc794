/**
 * THE table: every number that a step yields, with its unit, what it means, which way is better, and where it is null.
 * Summaries, SLOs, reports, the dashboard, `/metrics` help and docs/METRICS.md read it; nothing else defines a metric.
 * A changed meaning raises the metric's version, and results of different versions are not compared.
 */
import type { SloMetric } from './slo-metric.ts'

/** Raised whenever any metric's version is. Stored with every summary. */
export const DEFINITIONS_VERSION = 1

export interface MetricDefinition {
  readonly label: string
  readonly unit: 'ms' | '1/s' | 'tokens/s' | 'requests' | 'sequences' | 'fraction' | 'ratio' | 'tokens' | 'us'
  readonly better: 'lower' | 'higher' | 'neither'
  readonly version: number
  readonly definition: string
  /** Null: it always has a value. */
  readonly nullWhen: string | null
}

const latency = (
  label: string,
  definition: string,
  nullWhen: string,
): MetricDefinition & { readonly unit: 'ms'; readonly better: 'lower' } => ({
  label,
  unit: 'ms',
  better: 'lower',
  version: 1,
  definition,
  nullWhen,
})

/** Latencies of a request: the metrics that a promise can be made about. */
export const LATENCY_DEFINITIONS: Readonly<Record<SloMetric, MetricDefinition>> = {
  ttft: latency(
    'TTFT',
    'First event with non-empty content, reasoning, tool-call text or completions text, minus sent',
    'no such event arrived',
  ),
  ttftScheduled: latency(
    'TTFT from schedule',
    'The same event minus the instant at which the schedule wanted the request sent: what a user waits in open loop',
    'no such event arrived',
  ),
  firstVisibleToken: latency(
    'First visible token',
    'First event that is not reasoning, minus sent',
    'nothing but reasoning arrived',
  ),
  tpot: latency(
    'TPOT',
    '(last content event - first content event) / (N - n1): N output tokens of a sequence, n1 of them in the first event (1 when unknown)',
    'the token count is unknown, or N - n1 <= 0',
  ),
  gap: latency(
    'Inter-token gap',
    'Gap between successive content events, divided by the tokens of the event where the server tells them; otherwise an inter-chunk gap. TTFT is never in it',
    'no second event arrived',
  ),
  e2e: latency(
    'E2E',
    'Last content event minus sent; the close of the stream is kept apart',
    'no content arrived',
  ),
  validJson: latency(
    'Time to valid JSON',
    'The instant at which the text so far first parses as one complete JSON value, minus sent',
    'no JSON was expected, or none was complete',
  ),
}

const figure = (
  label: string,
  unit: MetricDefinition['unit'],
  better: MetricDefinition['better'],
  definition: string,
  nullWhen: string | null,
): MetricDefinition => ({ label, unit, better, version: 1, definition, nullWhen })

/** Figures of a step. */
export const STEP_DEFINITIONS = {
  requestsPerS: figure(
    'Requests/s',
    '1/s',
    'higher',
    '(n - 1) / (last end - first end) over the successful completions inside the window',
    'fewer than two completions',
  ),
  outputTokensPerS: figure(
    'Output tokens/s',
    'tokens/s',
    'higher',
    'Output tokens whose event arrived inside the window, over its length',
    'a token count is unknown',
  ),
  inputTokensPerS: figure(
    'Input tokens/s',
    'tokens/s',
    'higher',
    'Requests/s times the mean input tokens of the measured successful requests',
    'a token count is unknown, or requests/s is',
  ),
  tokensPerSPerUser: figure(
    'Tokens/s per user',
    'tokens/s',
    'higher',
    '1000 / p50(TPOT)',
    'there is no TPOT',
  ),
  outputTokensPerSPerGpu: figure(
    'Output tokens/s per GPU',
    'tokens/s',
    'higher',
    'Output tokens/s over the GPUs of the replica',
    'the number of GPUs is not given',
  ),
  concurrencyAchieved: figure(
    'Achieved concurrency L',
    'requests',
    'neither',
    '(1/T) * integral of requests in flight over the window, in flight from sent to the last content event (failed: to the close)',
    'the window is empty',
  ),
  concurrencyPrefill: figure(
    'Requests before their first token',
    'requests',
    'neither',
    'L_ttft = X * mean TTFT (Little’s law of the first stage)',
    'requests/s or TTFT is unknown',
  ),
  decodeBatch: figure(
    'Mean decode batch',
    'sequences',
    'neither',
    'L_decode = X * mean(E2E - TTFT), times the sequences of a request: how many sequences decode together',
    'requests/s or a latency is unknown',
  ),
  littlesLawRatio: figure(
    'Little’s-law ratio',
    'ratio',
    'neither',
    'Closed loop: L over the nominal concurrency less what thinks; open loop: X*R over L',
    'it cannot be measured independently',
  ),
  goodputFraction: figure(
    'Goodput fraction',
    'fraction',
    'higher',
    'Requests that succeeded at their task and met every per-request promise, over all scheduled in the window',
    'nothing was scheduled',
  ),
  goodputPerS: figure(
    'Goodput',
    '1/s',
    'higher',
    'The same requests per second of the window',
    'nothing was scheduled',
  ),
  serverQueueMs: figure(
    'Server queue time',
    'ms',
    'lower',
    'Mean of the server’s own queue-time metric over the window',
    'the server’s metrics are not scraped, or have no queue time',
  ),
  ttftInflationMs: figure(
    'TTFT inflation',
    'ms',
    'lower',
    'Mean TTFT minus the zero-load TTFT of the same prompt length: queueing plus interference of other prompts’ prefill',
    'the zero-load TTFT is not known',
  ),
  cacheHitFraction: figure(
    'Prefix-cache hits',
    'fraction',
    'neither',
    'Cached over all input tokens by the server’s usage, or hits over queries of its metrics',
    'the server tells neither',
  ),
  outputLengthDifference: figure(
    'Output length against asked',
    'fraction',
    'neither',
    'Mean output tokens over mean asked, minus 1, of successful requests',
    'a token count is unknown',
  ),
} as const satisfies Record<string, MetricDefinition>

export type StepMetric = keyof typeof STEP_DEFINITIONS
