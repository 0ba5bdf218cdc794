/** Whether the simulated server itself keeps its promises at a rate, in virtual time. */
import { runOpenLoop } from '@loadcurve/sim/engine/open-loop'
import { e2eOf, spreadOf, tpotOf, ttftOf } from '@loadcurve/sim/truth/run-summary'
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
      return (spreadOf(values).p95 ?? 0) / maxMs
    }),
  )
}
