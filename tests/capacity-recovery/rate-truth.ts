/** Whether the simulated server itself keeps its promises, at a rate and with its batch full, in virtual time. */
import { runClosedLoop } from '@loadcurve/sim/engine/closed-loop'
import { runOpenLoop } from '@loadcurve/sim/engine/open-loop'
import { e2eOf, spreadOf, summariseRun, tpotOf, ttftOf } from '@loadcurve/sim/truth/run-summary'
import type { VirtualServer } from './virtual-table.ts'

export interface TriedRate {
  readonly ratePerS: number
  readonly arrivalCv: number
  /** The batch limit that was recommended and set. */
  readonly batch: number
  readonly seeds: readonly number[]
  readonly requests: number
}

/** Largest of (measured / promised) over the promises, pooled over the seeds; Infinity when the queue grew for ever. */
export function worstRatio(server: VirtualServer, tried: TriedRate): number {
  const runs = tried.seeds.map((seed) =>
    runOpenLoop({
      law: { ...server.law, maxNumSeqs: tried.batch },
      workload: server.workload,
      arrivals: { ratePerS: tried.ratePerS, cv: tried.arrivalCv },
      requests: tried.requests,
      seed,
    }),
  )
  if (runs.some((run) => run.overloaded)) return Infinity
  const requests = runs.flatMap((run) => run.requests)
  return Math.max(
    ...server.slo.map(({ metric, maxMs }) => {
      const values =
        metric === 'tpot' ? requests.flatMap(tpotOf) : requests.map(metric === 'e2e' ? e2eOf : ttftOf)
      const delayMs = metric === 'tpot' ? 0 : (server.delayMs ?? 0)
      return ((spreadOf(values).p95 ?? 0) + delayMs) / maxMs
    }),
  )
}

export interface FullBatch {
  /** Measured over promised p95 of TPOT. */
  readonly ratio: number
  readonly requestsPerS: number
}

/** The server with its batch limit set and always full. */
export function fullBatch(server: VirtualServer, batch: number): FullBatch {
  const { requestsPerS, tpotMs } = summariseRun(
    runClosedLoop({
      law: { ...server.law, maxNumSeqs: batch },
      workload: server.workload,
      concurrency: 2 * batch,
      requests: Math.max(800, 12 * batch),
      seed: 77,
    }),
  )
  const promise = server.slo.find(({ metric }) => metric === 'tpot')
  return { ratio: (tpotMs.p95 ?? 0) / (promise?.maxMs ?? Infinity), requestsPerS }
}

/** Most requests/s of a full batch that keeps its promise, over batches up to a largest one. */
export function bestFullBatchPerS(server: VirtualServer, batchMax: number): number {
  let best = 0
  for (let batch = 1; batch <= batchMax; batch += Math.max(1, Math.floor(batch / 16))) {
    const { ratio, requestsPerS } = fullBatch(server, batch)
    if (ratio <= 1) best = Math.max(best, requestsPerS)
  }
  return best
}
