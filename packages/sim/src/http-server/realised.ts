/**
 * What the server really did in a window, measured at its own writes: the reference that a client's figures are held
 * against when the machine was too busy to keep the nominal law.
 */
import type { RequestRecord } from './request-log.ts'
import type { Simulation } from './simulation.ts'
import type { StepTotals } from './step-log.ts'

export interface Realised {
  /** The window, ms of CLOCK_MONOTONIC. */
  readonly sinceMs: number
  readonly untilMs: number
  readonly steps: StepTotals
  /** Mean duration of the steps by the law, noise and hiccups included; `steps.realMeanMs` is what the clock saw. */
  readonly stepMeanMs: number | null
  /** Decode batch, averaged over the time that steps took. */
  readonly decodeBatchMean: number | null
  /** Over the whole window, idle time included. */
  readonly outputTokensPerS: number
  readonly requestsPerS: number
  /** Of requests that arrived in the window and ended well: mean over requests, at the instants of the writes. */
  readonly requests: number
  readonly ttftMeanMs: number | null
  readonly tpotMeanMs: number | null
  readonly preemptionsTotal: number
  readonly resyncs: number
  /** User and system time of this process so far, microseconds. */
  readonly cpuUs: number
}

export function realisedBetween(
  simulation: Simulation,
  window: { sinceMs: number; untilMs: number },
): Realised {
  const { sinceMs, untilMs } = window
  const steps = simulation.steps.totals(sinceMs, untilMs)
  const records = simulation.requests.between(sinceMs, untilMs).filter(({ outcome }) => outcome === 'ok')
  const started = records.filter(({ arrivedAtMs }) => arrivedAtMs >= sinceMs)
  const ended = records.filter(({ endedAtMs }) => endedAtMs !== null && endedAtMs < untilMs)
  const cpu = process.cpuUsage()
  const windowS = (untilMs - sinceMs) / 1000
  return {
    sinceMs,
    untilMs,
    steps,
    stepMeanMs: steps.steps === 0 ? null : steps.busyMs / steps.steps,
    decodeBatchMean: steps.busyMs === 0 ? null : steps.decodeMs / steps.busyMs,
    outputTokensPerS: steps.tokens / windowS,
    requestsPerS: ended.length / windowS,
    requests: started.length,
    ttftMeanMs: mean(started.flatMap(ttftOf)),
    tpotMeanMs: mean(started.flatMap(tpotOf)),
    preemptionsTotal: simulation.engine.counters.preemptions,
    resyncs: simulation.driver.resyncs,
    cpuUs: cpu.user + cpu.system,
  }
}

function ttftOf({ arrivedAtMs, firstTokenAtMs }: RequestRecord): number[] {
  return firstTokenAtMs === null ? [] : [firstTokenAtMs - arrivedAtMs]
}

/** Only of requests with one sequence: with more, tokens of several share the instants. */
function tpotOf({ firstTokenAtMs, lastTokenAtMs, outputTokens, sequences }: RequestRecord): number[] {
  if (firstTokenAtMs === null || lastTokenAtMs === null || sequences !== 1 || outputTokens < 2) return []
  return [(lastTokenAtMs - firstTokenAtMs) / (outputTokens - 1)]
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}
