/** A measured closed-loop level as the calibration needs it: where it was, and what its latencies were. */
import type { LatencyColumn, Level } from '../fit/level.ts'

export interface MeasuredPoint {
  readonly concurrency: number
  /** Mean decode batch b = L - X TTFT. */
  readonly decodeBatch: number
  readonly requestsPerS: number
  readonly ttftMs: LatencyColumn
  readonly tpotMs: LatencyColumn
}

/**
 * The closed-loop levels that can be compared with a simulation, ascending in concurrency: not excluded, without think
 * time, with both latencies and a throughput (derived by Little's law where the source has none).
 */
export function measuredPoints(levels: readonly Level[], outputTokens: number): MeasuredPoint[] {
  return levels
    .flatMap((level) => pointOf(level, outputTokens))
    .sort((left, right) => left.concurrency - right.concurrency)
}

/** The typical value of a column: its median, else its mean. */
export function typicalMs(column: LatencyColumn): number | null {
  return column.p50 ?? column.mean
}

function pointOf(level: Level, outputTokens: number): MeasuredPoint[] {
  const { concurrency, ttftMs, tpotMs } = level
  const ttft = ttftMs.mean ?? ttftMs.p50
  const tpot = tpotMs.mean ?? tpotMs.p50
  if (level.kind !== 'closed-loop' || level.excluded !== null || level.thinkTimeS > 0) return []
  if (concurrency === null || ttft === null || tpot === null) return []
  const tokens = level.outputTokens ?? outputTokens
  const inFlight = level.achievedConcurrency ?? concurrency
  const residenceS = (ttft + (tokens - 1) * tpot) / 1000
  const measuredPerS =
    level.requestsPerS ?? (level.outputTokensPerS === null ? null : level.outputTokensPerS / tokens)
  const requestsPerS = measuredPerS ?? inFlight / residenceS
  // X (O - 1) TPOT rather than L - X TTFT: the same by Little's law, and not a difference of large numbers when most wait.
  return [
    { concurrency, decodeBatch: (requestsPerS * (tokens - 1) * tpot) / 1000, requestsPerS, ttftMs, tpotMs },
  ]
}
