/** What the server's own metrics say about the window: gauges averaged, counters as their increase. */
import { effectiveSampleSize, meanOf, varianceOf } from './batch-means.ts'
import type { Window } from './concurrency.ts'
import type { TargetReading } from './sample.ts'
import type { ServerSummary } from './step-summary.ts'

/** Null when nothing was read inside the window. */
export function serverSummary(readings: readonly TargetReading[], window: Window): ServerSummary | null {
  const inside = readings.filter(({ atMs }) => atMs >= window.startMs && atMs < window.endMs)
  if (inside.length === 0) return null
  const running = known(inside.map((one) => one.running))
  const kvUsage = known(inside.map((one) => one.kvUsageFraction))
  const increase = (part: (one: TargetReading) => number | null) => counterIncrease(inside.map(part))
  const queueTimeCount = increase((one) => one.queueTimeCount)
  const queueTimeS = increase((one) => one.queueTimeSumS)
  const queries = increase((one) => one.prefixCacheQueriesTotal)
  const hits = increase((one) => one.prefixCacheHitsTotal)
  return {
    readings: inside.length,
    runningMean: meanOrNull(running),
    runningMax: maxOrNull(running),
    waitingMean: meanOrNull(known(inside.map((one) => one.waiting))),
    kvUsageMeanFraction: meanOrNull(kvUsage),
    kvUsageMaxFraction: maxOrNull(kvUsage),
    preemptions: increase((one) => one.preemptionsTotal),
    cacheHitFraction: ratioOrNull(hits, queries),
    queueTimeMeanMs: ratioOrNull(queueTimeS === null ? null : queueTimeS * 1_000, queueTimeCount),
    queueTimeCount,
  }
}

/** Mean of running + waiting in the window with its standard error; null when fewer than five readings have both. */
export function requestsOnServer(
  readings: readonly TargetReading[],
  window: Window,
): { readonly mean: number; readonly standardError: number } | null {
  const totals = readings
    .filter(({ atMs }) => atMs >= window.startMs && atMs < window.endMs)
    .flatMap(({ running, waiting }) => (running === null || waiting === null ? [] : [running + waiting]))
  if (totals.length < ON_SERVER_READINGS_MIN) return null
  const mean = meanOf(totals)
  return { mean, standardError: Math.sqrt(varianceOf(totals, mean) / effectiveSampleSize(totals)) }
}

const ON_SERVER_READINGS_MIN = 5

// A counter that fell was reset by a restart: its increase is unknown.
function counterIncrease(values: readonly (number | null)[]): number | null {
  const seen = known(values)
  const [first, last] = [seen[0], seen.at(-1)]
  if (first === undefined || last === undefined || seen.length < 2) return null
  return seen.some((value, index) => value < (seen[index - 1] ?? value)) ? null : last - first
}

const known = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null)
const meanOrNull = (values: readonly number[]): number | null => (values.length === 0 ? null : meanOf(values))
const maxOrNull = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((largest, value) => Math.max(largest, value))
const ratioOrNull = (part: number | null, whole: number | null): number | null =>
  part === null || whole === null || whole === 0 ? null : part / whole
