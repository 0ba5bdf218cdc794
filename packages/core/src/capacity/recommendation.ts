/**
 * The recommendation: the answer that `loadcurve fit --json` prints and `GET /v1/runs/{id}/recommendation` returns.
 * The shape is a contract (schemaVersion changes when it does). Every unknown is null, every refusal has a code.
 */

import type { SloVerdict } from '../slo/verdict.ts'

export type Verdict = 'recommended' | 'inconclusive' | 'infeasible'

/** Percentiles of one latency metric, ms. */
export interface LatencySummary {
  readonly n: number | null
  readonly mean: number | null
  readonly p50: number | null
  readonly p90: number | null
  readonly p95: number | null
  readonly p99: number | null
}

export interface SloTarget {
  readonly metric: 'ttft' | 'ttftScheduled' | 'firstVisibleToken' | 'tpot' | 'gap' | 'e2e' | 'validJson'
  /** A percentile in (0, 100), or the mean where somebody asked for it by name. */
  readonly percentile: number | 'mean'
  readonly maxMs: number
}

export interface BatchRecommendation {
  /** The batch size to set (`max_num_seqs`); null when there is no recommendation. */
  readonly recommended: number | null
  /** 5-95 % range of the best batch over the bootstrap draws. */
  readonly interval: readonly [number, number] | null
  /** Mean decode batch when the replica carries `openLoop.maxRequestsPerS`. */
  readonly operating: number | null
  /** In-flight limit to give the router, per replica. */
  readonly admissionLimit: number | null
  /** `slo:<metric>:<percentile>`, `kv-memory`, `throughput-onset` or `measured-range`. */
  readonly limitedBy: string | null
  readonly saturation: Saturation | null
  /** A level without which the sweep cannot tell what a batch between two others costs; null: none is missing. */
  readonly levelWanted: LevelWanted | null
}

/** About this batch decodes when so many clients each keep one request in flight. */
export interface LevelWanted {
  readonly batch: number
  readonly concurrency: number
}

export interface Saturation {
  readonly decodeBatch: number
  readonly bottleneck: 'slots' | 'kv' | 'prefill' | 'unknown'
  readonly evidence: 'server-metrics' | 'client-only'
}

export interface OperatingPoint {
  readonly concurrency: number
  readonly requestsPerS: number
  readonly outputTokensPerS: number
  readonly outputTokensPerSPerGpu: number | null
  readonly goodputPerS: number | null
  readonly ttftMs: LatencySummary
  readonly tpotMs: LatencySummary
  readonly source: 'measured' | 'fitted'
}

export interface FitLevelReport {
  readonly label: string
  readonly concurrency: number | null
  readonly achieved: number | null
  readonly decodeBatch: number | null
  readonly tpotMs: number | null
  readonly predictedTpotMs: number | null
  readonly boundTpotMs: readonly [number, number] | null
  readonly looPredictedTpotMs: number | null
  readonly requestsPerS: number | null
  readonly predictedRequestsPerS: number | null
  readonly looPredictedRequestsPerS: number | null
  readonly outputTokensPerS: number | null
  readonly ttftMs: number | null
  readonly predictedTtftMs: number | null
  readonly excluded: string | null
}

export interface FitReport {
  /** `linear`, `sqrt`, `moe` or `isotonic`. */
  readonly model: string
  readonly params: Readonly<Record<string, number | null>>
  readonly looErrorFraction: number | null
  readonly converged: boolean
  readonly knees: Readonly<Record<string, number | null>>
  readonly levels: readonly FitLevelReport[]
}

export interface LittlesLawRow {
  readonly concurrency: number | null
  /** Null where throughput was itself derived from Little's law. */
  readonly ratio: number | null
  readonly holds: boolean | null
  readonly decodeBatch: number | null
}

export interface ProfileAnswer {
  readonly slo: readonly SloTarget[]
  readonly verdict: Verdict
  readonly reasons: readonly string[]
  readonly batch: number | null
  readonly requestsPerS: number | null
  readonly outputTokensPerS: number | null
}

/** Percentiles, ms, each with the 90 % range in which a test of 200 requests would land. */
export interface BoundedLatency {
  readonly p50: number
  readonly p50Bound: readonly [number, number]
  readonly p95: number
  readonly p95Bound: readonly [number, number]
}

/** The promise tried out: an open-loop step at the promised rate, predicted beside measured. */
export interface Verification {
  /** Place of the step in the run, from 0. */
  readonly step: number
  readonly verdict: 'met' | 'missed' | 'undecided'
  /** Further requests that would decide what is undecided; null: all is decided, or nothing would. */
  readonly moreRequests: number | null
  /** Requests that were judged. */
  readonly n: number
  /** Offered, and completed. */
  readonly requestsPerS: number | null
  readonly completedPerS: number | null
  readonly outputTokensPerS: number | null
  readonly decodeBatch: number | null
  readonly ttftMs: MeasuredLatency
  readonly tpotMs: MeasuredLatency
  readonly slo: readonly SloVerdict[]
  /** Gates that the step failed: then its verdict says little. */
  readonly refusals: readonly string[]
}

/** Measured percentiles, ms, beside those that were predicted. */
export interface MeasuredLatency {
  readonly n: number
  readonly p50: number | null
  readonly p95: number | null
  readonly predicted: BoundedLatency | null
}

export interface OpenLoopPoint {
  readonly requestsPerS: number
  readonly utilisation: number | null
  readonly decodeBatch: number | null
  readonly ttftMs: BoundedLatency | null
  readonly tpotMs: BoundedLatency | null
  /** Why there is no prediction at this rate, else null. */
  readonly refused: string | null
}

export interface OpenLoopAnswer {
  /** lambda_slo: the largest arrival rate that one replica takes under the SLO; null when it cannot be said. */
  readonly maxRequestsPerS: number | null
  readonly interval: readonly [number, number] | null
  /** The instant analytic estimate beside it. */
  readonly estimateRequestsPerS: number | null
  readonly utilisation: number | null
  readonly predicted: { readonly ttftMs: BoundedLatency; readonly tpotMs: BoundedLatency } | null
  /** What a run's last step measured at that rate; null where nothing was tried. */
  readonly verified: Verification | null
  /** Rate at which each SLO alone would bind, the first to bind first, and the same in words. */
  readonly bindingOrder: readonly { readonly slo: string; readonly requestsPerS: number }[]
  readonly bindingOrderInWords: string | null
  readonly at: readonly OpenLoopPoint[]
}

/** A cost at three loads; null where there is no price, or no such load. */
export interface CostAtLoads {
  /** One replica at its largest permitted rate, no spares. */
  readonly atCapacity: number | null
  /** The whole fleet at peak demand, and at mean demand. */
  readonly atPeak: number | null
  readonly atMean: number | null
}

export interface FleetAnswer {
  readonly replicas: number
  readonly gpus: number
  /** Null unless GPUs come in whole nodes. */
  readonly nodes: number | null
  /** Of the replicas, those that carry no demand. */
  readonly spares: number
  /** Replicas at the two ends of lambda_slo's interval. */
  readonly interval: readonly [number, number]
  /** Replicas under random routing, and with one queue for all. */
  readonly router: { readonly independentQueues: number; readonly pooledQueue: number | null }
  readonly demand: {
    readonly peakRequestsPerS: number
    readonly meanRequestsPerS: number | null
    /** The peak with its bursts. */
    readonly sizedForRequestsPerS: number
  }
  readonly requestsPerSPerReplica: number
  /** Day of the price; prices age. */
  readonly priceDate: string | null
  readonly costPerHour: number | null
  readonly costPerMonth: number | null
  readonly costPerMillionOutputTokens: CostAtLoads
  readonly costPerMillionInputTokens: CostAtLoads
  readonly costPerMillionBlendedTokens: CostAtLoads
  readonly costPerSuccessfulRequest: number | null
  readonly breakEven: {
    /** Rate, held all the time, above which the fleet is cheaper than the API, 1/s. */
    readonly requestsPerS: number | null
    readonly apiCostPerHourAtPeak: number
    readonly apiCostPerHourAtMean: number | null
    readonly cheaper: 'own' | 'api'
  } | null
  readonly jobHours: number | null
  /** Several classes of traffic: one fleet for all against a pool for each. Null with a single class. */
  readonly classes: ClassesAnswer | null
}

export interface ClassesAnswer {
  readonly advice: 'share' | 'split'
  readonly adviceInWords: string
  /** Null where one fleet cannot keep every class's promise, at any size. */
  readonly shared: { readonly requestsPerS: number; readonly replicas: number; readonly gpus: number } | null
  readonly pools: readonly {
    readonly name: string
    readonly batch: number | null
    readonly requestsPerS: number | null
    readonly replicas: number | null
    readonly gpus: number | null
    /** Why this class has no pool, else null. */
    readonly refused: string | null
  }[]
}

export interface MemoryAnswer {
  /** Of the whole model; tensor parallelism shards its KV heads over the GPUs. */
  readonly kvBytesPerToken: number
  /** For the KV cache, on each GPU. */
  readonly availableGib: number
  readonly sequencesWorstCase: number
  readonly sequencesMean: number
}

export interface Recommendation {
  readonly schemaVersion: 1
  readonly verdict: Verdict
  readonly reasons: readonly string[]
  readonly batch: BatchRecommendation
  readonly operatingPoint: OperatingPoint | null
  readonly fit: FitReport | null
  readonly littlesLaw: readonly LittlesLawRow[]
  readonly profiles: Readonly<Record<'interactive' | 'batch' | 'agentic' | 'api', ProfileAnswer | null>>
  readonly openLoop: OpenLoopAnswer | null
  readonly fleet: FleetAnswer | null
  readonly memory: MemoryAnswer | null
  readonly caveats: readonly string[]
}
