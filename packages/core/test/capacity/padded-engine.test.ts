import { meanStepMs } from '@loadcurve/core/capacity/estimate'
import { withCertainSteps, withPaddingCost } from '@loadcurve/core/capacity/padded-engine'
import { describe, expect, test } from 'vitest'
import { engineOf, fittedLaw, LENGTHS } from './law-fixture.ts'

const traffic = { ...LENGTHS, arrivalCv: 1, workCv: 0 }

describe('the engine of a server that pads', () => {
  test('a cost is added where there is one, and no step is shorter than that of a smaller batch', () => {
    const steps = {
      certain: null,
      leastMs: () => 0,
      mostMs: (batch: number) => (batch > 8 && batch <= 16 ? 4 : 0),
    }
    const engine = engineOf()
    expect(withPaddingCost(engine, steps, 'least').decodeMs).toEqual(engine.decodeMs)
    const { decodeMs } = withPaddingCost(engine, steps, 'most')
    expect(decodeMs[8]).toBe(engine.decodeMs[8])
    expect((decodeMs[9] ?? 0) - (engine.decodeMs[9] ?? 0)).toBe(4)
    expect(decodeMs[17]).toBe(decodeMs[16])
  })

  test('certain steps replace those of the curve; the prefill of the others is not counted twice', () => {
    const stepMs = (batch: number) => (batch <= 8 ? 20 : 30) + 0.25 * batch
    const certain = { leastMs: stepMs, mostMs: (batch: number) => stepMs(batch) + 2, errorFraction: 0.01 }
    const ask = { factor: 1, fitted: fittedLaw() }
    const least = withCertainSteps(engineOf(), certain, { ...ask, end: 'least' })
    // 50 ms of prefill over 200 steps are the quarter of a millisecond that each sequence adds.
    expect(least.decodeMs[4]).toBeCloseTo(20, 9)
    expect(least.decodeMs[12]).toBeCloseTo(30, 9)
    expect(meanStepMs(least, 12, traffic)).toBeCloseTo(stepMs(12), 9)
    const most = withCertainSteps(engineOf(), certain, { ...ask, end: 'most' })
    expect(meanStepMs(most, 12, traffic)).toBeCloseTo(stepMs(12) + 2, 9)
    const slower = withCertainSteps(engineOf(), certain, { ...ask, end: 'least', factor: 1.1 })
    expect(meanStepMs(slower, 12, traffic)).toBeCloseTo(1.1 * stepMs(12), 9)
  })
})
