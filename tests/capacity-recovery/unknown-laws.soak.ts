import { answerCapacity } from '@loadcurve/core/capacity/capacity-answer'
import { expect, test } from 'vitest'
import { bestFullBatchPerS, fullBatch, worstRatio } from './rate-truth.ts'
import { UNKNOWN_SERVERS } from './unknown-servers.ts'
import { questionOf, virtualTable } from './virtual-table.ts'

test.each(UNKNOWN_SERVERS)('$name, twenty tables: never a promise broken by more than 3 %', (server) => {
  const bestPerS = bestFullBatchPerS(server, server.law.maxNumSeqs)
  for (let table = 0; table < 20; table++) {
    const { openLoop, batch } = answerCapacity(questionOf(server, virtualTable(server, 1000 * table), 1))
    if (batch.recommended === null) continue
    const full = fullBatch(server, batch.recommended)
    expect(full.ratio, `table ${table}`).toBeLessThanOrEqual(1.03)
    expect(full.requestsPerS, `table ${table}`).toBeGreaterThanOrEqual(0.9 * bestPerS)
    const ratePerS = openLoop?.maxRequestsPerS ?? null
    if (ratePerS === null) continue
    const tried = {
      ratePerS,
      arrivalCv: 1,
      batch: batch.recommended,
      seeds: [11, 12, 13, 14],
      requests: 4000,
    }
    expect(worstRatio(server, tried), `table ${table}`).toBeLessThanOrEqual(1.03)
  }
})
