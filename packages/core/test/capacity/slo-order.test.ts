import type { SloTarget } from '@loadcurve/core/capacity/recommendation'
import { bindingOrder, bindingOrderInWords, sloInWords } from '@loadcurve/core/capacity/slo-order'
import { expect, test } from 'vitest'
import { engineOf } from './law-fixture.ts'
import { rehearsalOf } from './traffic-fixture.ts'

const ttft: SloTarget = { metric: 'ttft', percentile: 95, maxMs: 300 }
const tpot: SloTarget = { metric: 'tpot', percentile: 95, maxMs: 15 }
const e2e: SloTarget = { metric: 'e2e', percentile: 'mean', maxMs: 1e6 }

test('order of SLOs: ascending in the rate at which each binds alone, the lax one last', () => {
  const order = bindingOrder(rehearsalOf(5000), engineOf(), [e2e, ttft, tpot])
  expect(order.map(({ target }) => target.metric)).toEqual(['tpot', 'ttft', 'e2e'])
  expect(order[2]?.binds).toBe(false)
  const words = bindingOrderInWords(order) ?? ''
  expect(words).toMatch(
    /^p95 TPOT <= 15 ms binds first, at [\d.]+ requests\/s per replica\. p95 TTFT <= 300 ms would bind at/,
  )
  expect(words).toMatch(/mean E2E <= 1000000 ms holds up to the capacity\.$/)
})

test('order of SLOs: one that is missed without load binds at 0; none needs no words', () => {
  const impossible: SloTarget = { metric: 'ttft', percentile: 95, maxMs: 1 }
  expect(bindingOrder(rehearsalOf(2000), engineOf(), [impossible])).toEqual([
    { target: impossible, ratePerS: 0, binds: true },
  ])
  expect(bindingOrderInWords([])).toBeNull()
  expect(bindingOrderInWords([{ target: e2e, ratePerS: 6, binds: false }])).toBe(
    'No SLO binds: the replica runs out of capacity first.',
  )
  expect(sloInWords(tpot)).toBe('p95 TPOT <= 15 ms')
})
