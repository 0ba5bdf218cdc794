/**
 * The four profiles: presets of lengths, promises and objective for the four ways in which servers are used. A plan
 * names one and overrides what it likes.
 */
import type { SloMetric } from '../metrics/slo-metric.ts'

export interface Profile {
  readonly description: string
  readonly inputTokens: { readonly mean: number; readonly stdev: number }
  readonly outputTokens: { readonly mean: number; readonly stdev: number }
  readonly slo: readonly {
    readonly metric: SloMetric
    readonly percentile: number
    readonly maxMs: number
  }[]
  readonly objective: 'latency' | 'goodput' | 'tokens-per-hour'
}

export const PROFILES = {
  interactive: {
    description: 'People read the answer while it is written: a quick start and a steady flow',
    inputTokens: { mean: 512, stdev: 64 },
    outputTokens: { mean: 256, stdev: 32 },
    slo: [
      { metric: 'ttft', percentile: 95, maxMs: 800 },
      { metric: 'tpot', percentile: 95, maxMs: 40 },
    ],
    objective: 'latency',
  },
  api: {
    description: 'Programs call it and customers pay per request: nearly all requests must keep the promise',
    inputTokens: { mean: 1024, stdev: 256 },
    outputTokens: { mean: 256, stdev: 64 },
    slo: [
      { metric: 'ttft', percentile: 99, maxMs: 2_000 },
      { metric: 'tpot', percentile: 99, maxMs: 100 },
    ],
    objective: 'goodput',
  },
  agentic: {
    description: 'An agent waits for the whole answer before its next step: only the end counts',
    inputTokens: { mean: 4096, stdev: 1024 },
    outputTokens: { mean: 512, stdev: 128 },
    slo: [{ metric: 'e2e', percentile: 95, maxMs: 30_000 }],
    objective: 'latency',
  },
  batch: {
    description: 'Nobody waits: as many tokens per hour as the hardware gives, within ten minutes a request',
    inputTokens: { mean: 1024, stdev: 256 },
    outputTokens: { mean: 512, stdev: 128 },
    slo: [{ metric: 'e2e', percentile: 95, maxMs: 600_000 }],
    objective: 'tokens-per-hour',
  },
} as const satisfies Record<string, Profile>

export type ProfileName = keyof typeof PROFILES
