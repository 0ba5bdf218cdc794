import { arrivalRateUnderSlo } from '@loadcurve/core/capacity/arrival-rate'
import {
  endRatePerS,
  estimateArrivalRate,
  estimateLatency,
  meanStepMs,
} from '@loadcurve/core/capacity/estimate'
import type { SloTarget } from '@loadcurve/core/capacity/recommendation'
import { loneTtftMs } from '@loadcurve/core/capacity/simulate/engine-model'
import { stepTimeMs } from '@loadcurve/core/fit/law'
import { describe, expect, test } from 'vitest'
import { engineOf, linearLaw } from './law-fixture.ts'
import { rehearsalOf } from './traffic-fixture.ts'

const traffic = { inputTokens: 1000, outputTokens: 201, arrivalCv: 1, workCv: 0 }
const engine = engineOf()

describe('instant estimate', () => {
  test('the mean step is the fitted one, and the end rate by hand', () => {
    expect(meanStepMs(engine, 8, traffic)).toBeCloseTo(stepTimeMs(linearLaw(), 8), 9)
    // 8 requests, each 200 steps of 14 ms and one mixed step of 12 + 50 ms.
    expect(endRatePerS(engine, 8, traffic)).toBeCloseTo(8000 / (200 * 14 + 62), 9)
  })

  test('nearly no load: a lone prompt and half a step, and the step time of one', () => {
    const idle = estimateLatency(engine, traffic, 1e-4)
    expect(idle.ttftMs(95) - loneTtftMs(engine, 1000)).toBeLessThanOrEqual(5.1)
    expect(idle.tpotMs(50)).toBeLessThanOrEqual(10.5)
  })

  test('past the capacity nothing has a steady state', () => {
    const overload = estimateLatency(engine, traffic, 50)
    expect(overload.utilisation).toBeGreaterThan(1)
    expect(overload.ttftMs(50)).toBe(Infinity)
  })

  test('latency rises with the rate, and burstiness raises it', () => {
    const p95 = [1, 2, 3, 4, 5].map((rate) => estimateLatency(engine, traffic, rate).ttftMs(95))
    expect(p95).toEqual([...p95].sort((left, right) => left - right))
    expect(estimateLatency(engine, { ...traffic, arrivalCv: 2 }, 4).ttftMs(95)).toBeGreaterThan(p95[3] ?? 0)
  })

  test.each([
    [[{ metric: 'tpot', percentile: 95, maxMs: 20 }]],
    [[{ metric: 'ttft', percentile: 95, maxMs: 150 }]],
    [[{ metric: 'e2e', percentile: 95, maxMs: 5000 }]],
  ] as [SloTarget[]][])('%j: under Poisson arrivals within a fifth of the simulation', (slo) => {
    const simulated = arrivalRateUnderSlo(rehearsalOf(12_000), engine, slo)
    if (simulated.kind !== 'found') throw new Error(simulated.kind)
    expect(Math.abs(estimateArrivalRate(engine, traffic, slo) / simulated.ratePerS - 1)).toBeLessThan(0.2)
  })

  test('an impossible SLO is a rate of 0, a lax one the capacity', () => {
    expect(estimateArrivalRate(engine, traffic, [{ metric: 'ttft', percentile: 95, maxMs: 10 }])).toBe(0)
    const lax = estimateArrivalRate(engine, traffic, [{ metric: 'ttft', percentile: 95, maxMs: 1e9 }])
    expect(lax).toBeCloseTo(0.98 * endRatePerS(engine, 32, traffic), 9)
  })
})
