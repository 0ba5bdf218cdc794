/**
 * Tables that a careful person would have measured on a simulated server: closed loop, in virtual time, with percentiles.
 * The server's law is the simulator's own and shares no code with what is fitted to it.
 */
import { answerCapacity, type CapacityQuestion } from '@loadcurve/core/capacity/capacity-answer'
import type { SloTarget } from '@loadcurve/core/capacity/recommendation'
import type { LatencyColumn, Level } from '@loadcurve/core/fit/level'
import { runClosedLoop } from '@loadcurve/sim/engine/closed-loop'
import type { Workload } from '@loadcurve/sim/engine/virtual-run'
import type { ServerLaw } from '@loadcurve/sim/model/law'
import { type Spread, summariseRun } from '@loadcurve/sim/truth/run-summary'

export interface VirtualServer {
  readonly name: string
  readonly law: ServerLaw
  readonly workload: Workload
  readonly inputTokens: number
  readonly concurrencies: readonly number[]
  readonly slo: readonly SloTarget[]
  /** What is between the clients and the engine (network, gateway, tokeniser), ms; left out: nothing. */
  readonly delayMs?: number
}

const REQUESTS_PER_LEVEL = 400
const NO_COLUMN: LatencyColumn = { mean: null, p50: null, p90: null, p95: null, p99: null }

export function virtualTable(server: VirtualServer, seed: number): Level[] {
  return server.concurrencies.map((concurrency) => virtualLevel(server, { concurrency, seed }))
}

/** So many levels may be measured beside those of a sweep. */
const FURTHER_LEVELS_MAX = 3

/** A table, and the levels that its answer asks for, one after the other, as a run measures them. */
export function virtualTableToldApart(server: VirtualServer, seed: number): Level[] {
  return toldApart(server, virtualTable(server, seed), seed)
}

/** The same from a table that was measured before. */
export function toldApart(server: VirtualServer, table: readonly Level[], seed: number): Level[] {
  const levels = [...table]
  for (let further = 0; further < FURTHER_LEVELS_MAX; further++) {
    const { levelWanted } = answerCapacity(questionOf(server, levels, 1)).batch
    if (levelWanted === null) break
    levels.push(virtualLevel(server, { concurrency: levelWanted.concurrency, seed }))
  }
  return levels
}

function virtualLevel(
  server: VirtualServer,
  { concurrency, seed }: { readonly concurrency: number; readonly seed: number },
): Level {
  const requests = Math.max(REQUESTS_PER_LEVEL, 8 * concurrency)
  const { law, workload, delayMs = 0 } = server
  const summary = summariseRun(
    runClosedLoop({ law, workload, concurrency, requests, seed: seed + concurrency, delayMs }),
  )
  return {
    label: `N=${concurrency}`,
    kind: 'closed-loop',
    concurrency,
    ratePerS: null,
    achievedConcurrency: concurrency,
    requestsPerS: summary.requestsPerS,
    outputTokensPerS: summary.outputTokensPerS,
    inputTokens: server.inputTokens,
    outputTokens: summary.outputTokensPerS / summary.requestsPerS,
    requests,
    okFraction: 1,
    thinkTimeS: 0,
    ttftMs: columnOf(summary.ttftMs),
    tpotMs: columnOf(summary.tpotMs),
    gapMs: NO_COLUMN,
    e2eMs: columnOf(summary.e2eMs),
    batchLimit: null,
    server: null,
    errors: null,
    excluded: null,
  }
}

/** The question that such a table is asked; the server tells how many tokens it takes into one step. */
export function questionOf(
  server: VirtualServer,
  levels: readonly Level[],
  arrivalCv: number,
): CapacityQuestion {
  const { law, slo } = server
  return {
    levels,
    inputTokens: server.inputTokens,
    outputTokens: null,
    experts: law.experts === null ? null : { total: 1 / law.experts.activeFraction, perToken: 1 },
    probes: [],
    seed: 1,
    draws: 100,
    slo,
    hardware: null,
    traffic: {
      inputTokens: null,
      outputTokens: null,
      arrival: arrivalCv === 1 ? { process: 'poisson' } : { process: 'gamma', cv: arrivalCv },
    },
    ratesPerS: [],
    demand: null,
    stepTokens: law.maxNumBatchedTokens ?? Infinity,
    purchase: {
      gpusPerReplica: 1,
      gpusPerNode: null,
      failureDomain: 'replica',
      pricePerGpuHour: null,
      priceDate: null,
      apiPrice: null,
    },
  }
}

function columnOf({ mean, p50, p90, p95, p99 }: Spread): LatencyColumn {
  return { mean, p50, p90, p95, p99 }
}
