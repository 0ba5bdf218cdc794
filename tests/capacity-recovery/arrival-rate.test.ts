import { answerCapacity } from '@loadcurve/core/capacity/capacity-answer'
import { describe, expect, test } from 'vitest'
import { PRESET_SERVERS } from './preset-servers.ts'
import { worstRatio } from './rate-truth.ts'
import { questionOf, virtualTableToldApart } from './virtual-table.ts'

/**
 * From a measured table to the promised rate, judged by the server itself. The truth is not searched for (the soak does
 * that): the promise must lie between 15 % under it and 3 % over it, so the server has to keep its SLOs at 1/1.03 of the
 * promise and to break one at 1/0.85 of it.
 */
const quick = [
  { server: '8b-h100, prompts of 200', cv: 1 },
  // Its rate follows TTFT with the fourth power.
  { server: '70b-2xh100, prompts of 2000', cv: 2 },
  { server: '70b-2xh100, prompts of 8000', cv: 1 },
  { server: 'prefill-bound, prompts of 8000', cv: 1 },
  { server: 'small, prompts of 200', cv: 1 },
]

describe('promised rate', () => {
  test.each(quick)(
    '$server, arrivals of cv $cv: 15 % under the truth to 3 % over it',
    { timeout: 120_000 },
    ({ server: name, cv }) => {
      const server = PRESET_SERVERS.find((each) => each.name === name)
      if (server === undefined) throw new Error(`no server ${name}`)
      const levels = virtualTableToldApart(server, 5)
      const { openLoop, batch, caveats } = answerCapacity(questionOf(server, levels, cv))
      const ratePerS = openLoop?.maxRequestsPerS ?? null
      // A refusal would be allowed, but with the levels that a run measures there is nothing to refuse.
      if (ratePerS === null || batch.recommended === null) throw new Error('refused')
      // Percentiles under bursts scatter: as many more requests are needed to judge them.
      const seeds = Array.from({ length: cv === 1 ? 3 : 16 }, (_, index) => 11 + index)
      const tried = { arrivalCv: cv, batch: batch.recommended, seeds, requests: 2500 }
      expect(worstRatio(server, { ...tried, ratePerS: ratePerS / 1.03 })).toBeLessThanOrEqual(1)
      expect(worstRatio(server, { ...tried, ratePerS: ratePerS / 0.85 })).toBeGreaterThan(1)
      const estimateAbove = (openLoop?.estimateRequestsPerS ?? 0) / ratePerS - 1
      if (estimateAbove > 0.2)
        expect(caveats.some((caveat) => caveat.startsWith('estimate-differs'))).toBe(true)
    },
  )
})
