import { promiseBindings, promisedRate, rateAt } from '@loadcurve/core/capacity/promise'
import type { SloTarget } from '@loadcurve/core/capacity/recommendation'
import { scaledLaw } from '@loadcurve/core/capacity/scaled-law'
import { describe, expect, test } from 'vitest'
import { fittedLaw, linearLaw } from './law-fixture.ts'
import { replicaOf } from './replica-fixture.ts'

const ttft: SloTarget = { metric: 'ttft', percentile: 95, maxMs: 200 }
const tpot: SloTarget = { metric: 'tpot', percentile: 95, maxMs: 20 }
const draws = Array.from({ length: 41 }, (_, index) => scaledLaw(linearLaw(), 0.9 + index / 200))
const replica = replicaOf({ fitted: fittedLaw({ draws, law: linearLaw({ saturationBatch: 31 }) }) })
const ask = { slo: [ttft, tpot], slots: 24, effort: 1 / 3 }

function found(answer: ReturnType<typeof promisedRate>) {
  if (answer.kind !== 'found') throw new Error(answer.kind)
  return answer
}

describe('promise', () => {
  test('the rate is that of the slow end, below the expected one and the fast one', () => {
    const promised = found(promisedRate(replica, ask)).ratePerS
    const at = (which: 'expected' | 'fast') => {
      const answer = rateAt(replica, which, ask)
      return answer.kind === 'found' ? answer.ratePerS : 0
    }
    expect(promised).toBeLessThan(at('expected'))
    expect(at('expected')).toBeLessThan(at('fast'))
  })

  test('measured TTFTs above the simulated ones make a TTFT promise harder, and leave TPOT alone', () => {
    const excessive = { ...replica, calibration: { ...replica.calibration, ttftExcess: Math.log(1.5) } }
    const rate = (which: typeof replica, slo: SloTarget[]) =>
      found(promisedRate(which, { ...ask, slo })).ratePerS
    const harder: SloTarget = { ...ttft, maxMs: ttft.maxMs / 1.5 }
    expect(rate(excessive, [ttft])).toBe(rate(replica, [harder]))
    expect(rate(excessive, [tpot])).toBe(rate(replica, [tpot]))
    expect(found(promisedRate(excessive, { ...ask, slo: [ttft] })).limitedBy).toEqual(ttft)
  })

  test('missed without load by the expected law is infeasible, by the slow end alone undecided', () => {
    const at = (maxMs: number) => promisedRate(replica, { ...ask, slo: [{ ...ttft, maxMs }] })
    // A lone prompt needs 60 ms, a hundredth more at the slow end.
    // At half a per cent of load some meet another prompt, so the p95 is a little above the lone 60 ms.
    const infeasible = at(50)
    if (infeasible.kind !== 'below-zero-load') throw new Error(infeasible.kind)
    expect(infeasible.zeroLoadMs).toBeGreaterThanOrEqual(60)
    expect(infeasible.zeroLoadMs).toBeLessThan(62)
    expect(at(61.3)).toMatchObject({ kind: 'undecided', reason: 'slo-undecided', levelWanted: null })
  })

  test('bindings: the first binds at the promised rate', () => {
    const promised = found(promisedRate(replica, ask))
    const bindings = promiseBindings(replica, ask, promised)
    expect(bindings[0]).toMatchObject({ target: promised.limitedBy, ratePerS: promised.ratePerS })
    expect(bindings).toHaveLength(2)
    expect(promiseBindings(replica, { ...ask, slo: [] }, { ratePerS: 3, limitedBy: null })).toEqual([])
  })
})
