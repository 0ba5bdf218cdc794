/** What the server counts, and how it shows it: the names, labels and buckets of vLLM's own `/metrics`. */
import type { Engine } from '../engine/engine.ts'

const TTFT_BUCKETS_S = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640,
  2560,
]
const TPOT_BUCKETS_S = [
  0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80,
]
const REQUEST_BUCKETS_S = [
  0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680,
]

/** A cumulative histogram as Prometheus keeps it. */
export class Histogram {
  readonly #boundsS: readonly number[]
  readonly #counts: number[]
  #sumS = 0
  #count = 0

  constructor(boundsS: readonly number[]) {
    this.#boundsS = boundsS
    this.#counts = boundsS.map(() => 0)
  }

  observe(valueS: number): void {
    this.#sumS += valueS
    this.#count++
    // Only the bucket it falls into; `lines` adds them up. Tokens come more often than readers.
    const at = this.#boundsS.findIndex((bound) => valueS <= bound)
    if (at >= 0) this.#counts[at] = (this.#counts[at] ?? 0) + 1
  }

  lines(name: string, labels: string): string {
    let below = 0
    const buckets = this.#boundsS.map((bound, index) => {
      below += this.#counts[index] ?? 0
      return `${name}_bucket{le="${bound}",${labels}} ${below}`
    })
    return [
      ...buckets,
      `${name}_bucket{le="+Inf",${labels}} ${this.#count}`,
      `${name}_count{${labels}} ${this.#count}`,
      `${name}_sum{${labels}} ${this.#sumS}`,
    ].join('\n')
  }
}

export interface ServerMetrics {
  readonly ttft: Histogram
  readonly tpot: Histogram
  readonly gap: Histogram
  readonly e2e: Histogram
  readonly queue: Histogram
  readonly prefill: Histogram
  readonly decode: Histogram
  readonly finished: Map<string, number>
}

export function newServerMetrics(): ServerMetrics {
  return {
    ttft: new Histogram(TTFT_BUCKETS_S),
    tpot: new Histogram(TPOT_BUCKETS_S),
    gap: new Histogram(TPOT_BUCKETS_S),
    e2e: new Histogram(REQUEST_BUCKETS_S),
    queue: new Histogram(REQUEST_BUCKETS_S),
    prefill: new Histogram(REQUEST_BUCKETS_S),
    decode: new Histogram(REQUEST_BUCKETS_S),
    finished: new Map(),
  }
}

/** The page in Prometheus' text format. */
export function metricsText(engine: Engine, metrics: ServerMetrics, model: string): string {
  const labels = `engine="0",model_name="${model}"`
  const { counters, law } = engine
  const simple = (name: string, type: 'gauge' | 'counter', help: string, value: number) =>
    `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name}{${labels}} ${value}`
  const histogram = (name: string, help: string, values: Histogram) =>
    `# HELP ${name} ${help}\n# TYPE ${name} histogram\n${values.lines(name, labels)}`
  const finished = [...metrics.finished].map(
    ([reason, count]) => `vllm:request_success_total{${labels},finished_reason="${reason}"} ${count}`,
  )
  const pages = [
    simple('vllm:num_requests_running', 'gauge', 'Sequences in the running batch.', engine.runningCount),
    simple('vllm:num_requests_waiting', 'gauge', 'Sequences waiting for a slot.', engine.waitingCount),
    simple(
      'vllm:kv_cache_usage_perc',
      'gauge',
      'Share of the KV blocks in use, from 0 to 1.',
      engine.kvUsageFraction,
    ),
    simple(
      'vllm:gpu_cache_usage_perc',
      'gauge',
      'The older name of kv_cache_usage_perc.',
      engine.kvUsageFraction,
    ),
    simple('vllm:num_preemptions_total', 'counter', 'Sequences preempted.', counters.preemptions),
    simple('vllm:prompt_tokens_total', 'counter', 'Prompt tokens prefilled.', counters.promptTokens),
    simple('vllm:generation_tokens_total', 'counter', 'Tokens generated.', counters.generatedTokens),
    simple('vllm:prefix_cache_queries_total', 'counter', 'Tokens looked up.', counters.prefixQueriedTokens),
    simple('vllm:prefix_cache_hits_total', 'counter', 'Tokens found.', counters.prefixHitTokens),
    histogram('vllm:time_to_first_token_seconds', 'Arrival to first token.', metrics.ttft),
    histogram('vllm:inter_token_latency_seconds', 'Gap between tokens.', metrics.gap),
    histogram('vllm:request_time_per_output_token_seconds', 'Mean time per output token.', metrics.tpot),
    histogram('vllm:e2e_request_latency_seconds', 'Arrival to last token.', metrics.e2e),
    histogram('vllm:request_queue_time_seconds', 'Arrival to admission.', metrics.queue),
    histogram('vllm:request_prefill_time_seconds', 'Admission to first token.', metrics.prefill),
    histogram('vllm:request_decode_time_seconds', 'First to last token.', metrics.decode),
    `# HELP vllm:request_success_total Requests that ended.\n# TYPE vllm:request_success_total counter`,
    ...finished,
    `# HELP vllm:cache_config_info Settings of the KV cache.\n# TYPE vllm:cache_config_info gauge`,
    `vllm:cache_config_info{${labels},block_size="${engine.blockTokens}",enable_prefix_caching="${law.prefixCache}",num_gpu_blocks="${law.kv?.blocks ?? 0}"} 1`,
  ]
  return `${pages.join('\n')}\n`
}
