import { answerCapacity } from '@loadcurve/core/capacity/capacity-answer'
import { sustainableRate } from '@loadcurve/sim/truth/sustainable-rate'
import { expect, test } from 'vitest'
import { PRESET_SERVERS } from './preset-servers.ts'
import { questionOf, type VirtualServer, virtualTableToldApart } from './virtual-table.ts'

const cases = PRESET_SERVERS.flatMap((server) => [1, 2].map((cv) => ({ name: server.name, cv, server })))

test.each(cases)(
  'promised rate against the searched truth, three tables: $name, arrivals of cv $cv',
  ({ server, cv }) => {
    const truths = new Map<number, number>()
    for (const seed of [5, 105, 205]) {
      const { openLoop, batch } = answerCapacity(questionOf(server, virtualTableToldApart(server, seed), cv))
      const ratePerS = openLoop?.maxRequestsPerS ?? null
      if (ratePerS === null || batch.recommended === null) continue
      const truth =
        truths.get(batch.recommended) ?? trueRate(server, { arrivalCv: cv, batch: batch.recommended })
      truths.set(batch.recommended, truth)
      const ratio = ratePerS / truth
      console.log(`${server.name}, cv ${cv}, table ${seed}: ${ratio.toFixed(3)} of the true rate`)
      expect(ratio, `table ${seed}: promised ${ratePerS}, true ${truth}`).toBeGreaterThan(0.85)
      expect(ratio, `table ${seed}: promised ${ratePerS}, true ${truth}`).toBeLessThan(1.03)
    }
  },
)

// Under bursts a p95 of 5,000 requests scatters by 4 %, and the rate can follow it with the fourth power: many seeds.
function trueRate(
  server: VirtualServer,
  { arrivalCv, batch }: { readonly arrivalCv: number; readonly batch: number },
): number {
  const { ratePerS } = sustainableRate({
    law: { ...server.law, maxNumSeqs: batch },
    workload: server.workload,
    arrivalCv,
    objectives: server.slo.map(({ percentile, maxMs, metric }) => ({
      metric: metric === 'tpot' ? 'tpot' : 'ttft',
      percentile,
      maxMs,
    })),
    requests: 5000,
    seeds: Array.from({ length: 12 * arrivalCv }, (_, index) => 11 + index),
    toleranceFraction: 0.01,
  })
  return ratePerS
}
