import type { OpenLoopAnswer, Verification } from '@loadcurve/core/capacity/recommendation'
import { openLoopSection } from '@loadcurve/report/terminal/open-loop-section'
import { styleOf } from '@loadcurve/report/terminal/style'
import { expect, test } from 'vitest'

const style = styleOf({ colour: false, unicode: false, columns: 80 })
const predicted = { p50: 60, p50Bound: [55, 66], p95: 410, p95Bound: [280, 620] } as const

const verified: Verification = {
  ...{ step: 9, verdict: 'undecided', moreRequests: 90, n: 230, requestsPerS: 8.77, completedPerS: 8.7 },
  ...{ outputTokensPerS: 439, decodeBatch: 9.4, slo: [], refusals: [] },
  ttftMs: { n: 230, p50: 62, p95: 473, predicted },
  tpotMs: { n: 230, p50: 21, p95: 24.6, predicted: null },
}

const answer = (tried: Verification | null): OpenLoopAnswer => ({
  ...{ maxRequestsPerS: 8.77, interval: [8.77, 9.86], estimateRequestsPerS: null, utilisation: 0.83 },
  ...{ predicted: null, bindingOrder: [], bindingOrderInWords: null, at: [] },
  verified: tried,
})

test('random arrivals: the promise tried out stands with predicted beside measured', () => {
  const text = openLoopSection(answer(verified), style).join('\n').replaceAll(/\s+/g, ' ')
  expect(text).toContain('verified undecided: 230 requests at 8.77 requests/s; about 90 more would decide')
  expect(text).toContain('p95 TTFT 473 ms measured (predicted 410, 280-620 for a test of this length)')
  expect(text).toContain('p95 TPOT 24.6 ms measured')
})

test('random arrivals: what nobody tried out is not spoken of', () => {
  expect(openLoopSection(answer(null), style).join('\n')).not.toContain('verified')
})
