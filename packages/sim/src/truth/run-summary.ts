/** Figures of a virtual run. Written for the simulator alone: the ground truth shares no statistics with what it judges. */
import type { VirtualRequest, VirtualRun } from '../engine/virtual-run.ts'

/** Mean and percentiles, ms; null without requests. */
export interface Spread {
  readonly n: number
  readonly mean: number | null
  readonly p50: number | null
  readonly p90: number | null
  readonly p95: number | null
  readonly p99: number | null
}

export interface RunSummary {
  readonly requestsPerS: number
  readonly outputTokensPerS: number
  readonly ttftMs: Spread
  /** Over requests with two tokens or more. */
  readonly tpotMs: Spread
  readonly e2eMs: Spread
  readonly decodeBatch: number
  readonly runningMean: number
  readonly waitingMean: number
  readonly preemptions: number
  readonly overloaded: boolean
}

export function summariseRun(run: VirtualRun): RunSummary {
  const windowS = (run.windowEndMs - run.windowStartMs) / 1000
  return {
    requestsPerS: run.completions / windowS,
    outputTokensPerS: run.tokens / windowS,
    ttftMs: spreadOf(run.requests.map(ttftOf)),
    tpotMs: spreadOf(run.requests.flatMap(tpotOf)),
    e2eMs: spreadOf(run.requests.map(e2eOf)),
    decodeBatch: run.decodeBatchMean,
    runningMean: run.runningMean,
    waitingMean: run.waitingMean,
    preemptions: run.preemptions,
    overloaded: run.overloaded,
  }
}

export function ttftOf({ arrivedAtMs, firstTokenAtMs }: VirtualRequest): number {
  return firstTokenAtMs - arrivedAtMs
}

export function e2eOf({ arrivedAtMs, lastTokenAtMs }: VirtualRequest): number {
  return lastTokenAtMs - arrivedAtMs
}

/** One value, or none for a single token. */
export function tpotOf({ firstTokenAtMs, lastTokenAtMs, outputTokens }: VirtualRequest): number[] {
  return outputTokens < 2 ? [] : [(lastTokenAtMs - firstTokenAtMs) / (outputTokens - 1)]
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = Float64Array.from(values).sort()
  const at = (fraction: number) => quantileOf(sorted, fraction)
  return {
    n: values.length,
    mean: meanOf(values),
    p50: at(0.5),
    p90: at(0.9),
    p95: at(0.95),
    p99: at(0.99),
  }
}

export function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Linear interpolation between order statistics, position fraction * (n - 1). Null without values. */
export function quantileOf(sorted: Float64Array, fraction: number): number | null {
  const position = fraction * (sorted.length - 1)
  const below = sorted[Math.floor(position)]
  const above = sorted[Math.ceil(position)]
  if (below === undefined || above === undefined) return null
  return below + (above - below) * (position - Math.floor(position))
}
