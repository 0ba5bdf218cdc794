import { arrivalRateUnderSlo, firstMissed, requestsFor } from '@loadcurve/core/capacity/arrival-rate'
import type { SloTarget } from '@loadcurve/core/capacity/recommendation'
import { capacityPerS, replayAt } from '@loadcurve/core/capacity/simulate/rehearsal'
import { describe, expect, test } from 'vitest'
import { engineOf } from './law-fixture.ts'
import { rehearsalOf } from './traffic-fixture.ts'

const ttft = (maxMs: number): SloTarget => ({ metric: 'ttft', percentile: 95, maxMs })
const tpot = (maxMs: number): SloTarget => ({ metric: 'tpot', percentile: 95, maxMs })
const rehearsal = rehearsalOf(6000)

describe('arrival rate under an SLO', () => {
  test('the SLO is kept at the rate found and missed a little above it', () => {
    const answer = arrivalRateUnderSlo(rehearsal, engineOf(), [ttft(150)])
    if (answer.kind !== 'found') throw new Error(answer.kind)
    expect(firstMissed([ttft(150)], replayAt(rehearsal, engineOf(), answer.ratePerS))).toBeNull()
    const above = answer.ratePerS + 0.008 * answer.capacityPerS
    expect(firstMissed([ttft(150)], replayAt(rehearsal, engineOf(), above))).toEqual(ttft(150))
    expect(answer.limitedBy).toEqual(ttft(150))
  })

  test('a looser SLO never gives a lower rate, and the tighter of two decides', () => {
    const rate = (slo: readonly SloTarget[]) => {
      const answer = arrivalRateUnderSlo(rehearsal, engineOf(), slo)
      return answer.kind === 'found' ? answer.ratePerS : 0
    }
    const rates = [90, 120, 200, 400, 1000].map((maxMs) => rate([ttft(maxMs)]))
    expect(rates).toEqual([...rates].sort((left, right) => left - right))
    expect(rate([ttft(400), tpot(16)])).toBe(Math.min(rate([ttft(400)]), rate([tpot(16)])))
  })

  test('a TPOT promise at the step time of a batch gives a rate whose occupancy stays below it', () => {
    // itl(20) = 20 ms.
    const answer = arrivalRateUnderSlo(rehearsal, engineOf(), [tpot(20)])
    if (answer.kind !== 'found') throw new Error(answer.kind)
    expect(answer.replay.decodeBatch).toBeLessThan(20)
    expect(answer.replay.decodeBatch).toBeGreaterThan(10)
  })

  test('below zero load: a lone request already misses, whatever the fleet', () => {
    expect(arrivalRateUnderSlo(rehearsal, engineOf(), [ttft(50), tpot(1000)])).toMatchObject({
      kind: 'below-zero-load',
      target: ttft(50),
    })
  })

  test('no SLO: the capacity is the limit, and utilisation stays below one', () => {
    const answer = arrivalRateUnderSlo(rehearsal, engineOf(), [])
    if (answer.kind !== 'found') throw new Error(answer.kind)
    expect(answer.limitedBy).toBeNull()
    expect(answer.ratePerS).toBeCloseTo(0.98 * capacityPerS(rehearsal, engineOf()), 9)
  })

  test('sharper percentiles get more requests, boundedly', () => {
    const p99 = { metric: 'ttft', percentile: 99, maxMs: 1 } as const
    const mean = { metric: 'ttft', percentile: 'mean', maxMs: 1 } as const
    expect(requestsFor([mean])).toBe(12_000)
    expect(requestsFor([ttft(1)])).toBe(24_000)
    expect(requestsFor([ttft(1), p99])).toBe(40_000)
  })
})
