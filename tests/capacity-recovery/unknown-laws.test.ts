import { answerCapacity } from '@loadcurve/core/capacity/capacity-answer'
import { describe, expect, test } from 'vitest'
import { worstRatio } from './rate-truth.ts'
import { UNKNOWN_SERVERS } from './unknown-servers.ts'
import { questionOf, virtualTable } from './virtual-table.ts'

/** At the promised rate and with the recommended batch set, the server may exceed a promise by this much and no more. */
const EXCESS_MAX = 1.03

describe('laws that the fit does not know', () => {
  test.each(UNKNOWN_SERVERS)(
    '$name: what is promised is kept, or nothing is promised, or the answer says what it cannot see',
    { timeout: 120_000 },
    (server) => {
      const { openLoop, batch, reasons, caveats } = answerCapacity(
        questionOf(server, virtualTable(server, 5), 1),
      )
      const ratePerS = openLoop?.maxRequestsPerS ?? null
      if (ratePerS === null || batch.recommended === null) {
        expect(reasons.length).toBeGreaterThan(0)
        return
      }
      const tried = { ratePerS, arrivalCv: 1, batch: batch.recommended, seeds: [11, 12, 13], requests: 2500 }
      // Only these stairs cannot be seen: the others must be kept whatever is said beside.
      if (server.name.includes('stairs')) {
        expect(caveats.some((caveat) => caveat.startsWith('batch-between-levels'))).toBe(true)
        return
      }
      expect(worstRatio(server, tried)).toBeLessThanOrEqual(EXCESS_MAX)
    },
  )
})
