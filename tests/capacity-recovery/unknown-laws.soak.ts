import { answerCapacity } from '@loadcurve/core/capacity/capacity-answer'
import { expect, test } from 'vitest'
import { worstRatio } from './rate-truth.ts'
import { UNKNOWN_SERVERS } from './unknown-servers.ts'
import { questionOf, virtualTable } from './virtual-table.ts'

test.each(UNKNOWN_SERVERS)('$name, twenty tables: never a promise broken by more than 3 %', (server) => {
  for (let table = 0; table < 20; table++) {
    const { openLoop, batch, caveats } = answerCapacity(
      questionOf(server, virtualTable(server, 1000 * table), 1),
    )
    const ratePerS = openLoop?.maxRequestsPerS ?? null
    if (ratePerS === null || batch.recommended === null) continue
    if (caveats.some((caveat) => caveat.startsWith('batch-between-levels')) && server.name.includes('stairs'))
      continue
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
