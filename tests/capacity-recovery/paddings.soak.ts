/**
 * Whatever the levels show or hide, a batch that is recommended keeps its promise when it is full, and a rate keeps it
 * too.
 */
import { answerCapacity } from '@loadcurve/core/capacity/capacity-answer'
import { expect, test } from 'vitest'
import { measured, PADDED_CASES, PROMISES, SERVERS } from './padded-servers.ts'
import { fullBatch, worstRatio } from './rate-truth.ts'
import { questionOf } from './virtual-table.ts'

const EXCESS_MAX = 1.03

test.each(PADDED_CASES)('padding: $padding, sweep: $sweep', ({ padding, sweep }) => {
  const said: string[] = []
  for (const made of SERVERS) {
    for (const share of PROMISES) {
      const { server, levels } = measured(made, { padding, sweep, share })
      const { batch, openLoop, reasons } = answerCapacity(questionOf(server, levels, 1))
      const ratePerS = openLoop?.maxRequestsPerS ?? null
      said.push(`${batch.recommended ?? 'none'} at ${ratePerS?.toFixed(2) ?? 'none'}/s`)
      if (batch.recommended === null || ratePerS === null) expect(reasons.length).toBeGreaterThan(0)
      if (batch.recommended === null) continue
      expect(fullBatch(server, batch.recommended).ratio).toBeLessThanOrEqual(EXCESS_MAX)
      if (ratePerS === null) continue
      const tried = { ratePerS, arrivalCv: 1, batch: batch.recommended, seeds: [11, 12, 13], requests: 2500 }
      expect(worstRatio(server, tried)).toBeLessThanOrEqual(EXCESS_MAX)
    }
  }
  console.log(`padding ${padding}, sweep ${sweep}: ${said.join(', ')}`)
})
