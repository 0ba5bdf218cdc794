/**
 * The same servers behind a delay, which their TTFT holds and which looks like prefill. A table alone cannot tell, so an
 * answer that would break a promise says what it rests on. With the levels that the answers ask for none does.
 */
import { answerCapacity } from '@loadcurve/core/capacity/capacity-answer'
import type { Recommendation } from '@loadcurve/core/capacity/recommendation'
import { expect, test } from 'vitest'
import { measured, PADDED_CASES, PROMISES, SERVERS } from './padded-servers.ts'
import { fullBatch, worstRatio } from './rate-truth.ts'
import { questionOf, toldApart, type VirtualServer } from './virtual-table.ts'

const EXCESS_MAX = 1.03

const cases = PADDED_CASES.flatMap((padded) => [30, 300].map((delayMs) => ({ ...padded, delayMs })))

test.each(cases)('padding: $padding, sweep: $sweep, behind $delayMs ms', (padded) => {
  const said: string[] = []
  for (const made of SERVERS) {
    for (const share of PROMISES) {
      const { server, levels } = measured(made, { ...padded, share })
      const alone = answerCapacity(questionOf(server, levels, 1))
      const { batchExcess, rateExcess } = excesses(server, alone)
      if (batchExcess > EXCESS_MAX)
        expect(alone.caveats.join()).toMatch(/batch-(rests-on-ttft|between-levels)/)
      if (rateExcess > EXCESS_MAX) expect(alone.caveats.join()).toContain('-rests-on-ttft')
      if (Math.max(batchExcess, rateExcess) > EXCESS_MAX) expect(alone.batch.levelWanted).not.toBeNull()
      const told = answerCapacity(questionOf(server, toldApart(server, levels, 5), 1))
      const after = excesses(server, told)
      expect(after.batchExcess).toBeLessThanOrEqual(EXCESS_MAX)
      expect(after.rateExcess).toBeLessThanOrEqual(EXCESS_MAX)
      said.push(
        `${inShort(alone)} (${batchExcess.toFixed(2)}, ${rateExcess.toFixed(2)}), then ${inShort(told)}`,
      )
    }
  }
  console.log(`padding ${padded.padding}, sweep ${padded.sweep}, ${padded.delayMs} ms: ${said.join('; ')}`)
})

/** Measured over promised, with the batch full and at the rate; 0 where there is none. */
function excesses(server: VirtualServer, { batch, openLoop }: Recommendation) {
  const { recommended } = batch
  const ratePerS = openLoop?.maxRequestsPerS ?? null
  if (recommended === null) return { batchExcess: 0, rateExcess: 0 }
  const batchExcess = fullBatch(server, recommended).ratio
  if (ratePerS === null) return { batchExcess, rateExcess: 0 }
  const tried = { ratePerS, arrivalCv: 1, batch: recommended, seeds: [11, 12, 13], requests: 2500 }
  return { batchExcess, rateExcess: worstRatio(server, tried) }
}

function inShort({ batch, openLoop }: Recommendation): string {
  return `${batch.recommended ?? 'none'} at ${openLoop?.maxRequestsPerS?.toFixed(2) ?? 'none'}/s`
}
