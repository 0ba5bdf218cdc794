import { predictAt } from '@loadcurve/core/capacity/prediction'
import { prepareReplica, type ReplicaQuestion } from '@loadcurve/core/capacity/replica'
import { stepTimeMs } from '@loadcurve/core/fit/law'
import { describe, expect, test } from 'vitest'
import { fittedLaw, linearLaw } from './law-fixture.ts'

const law = linearLaw({ saturationBatch: 31 })
const question: ReplicaQuestion = {
  fitted: fittedLaw({ law }),
  levels: [],
  inputTokens: null,
  outputTokens: null,
  arrival: { process: 'poisson' },
  stepTokens: null,
  kvTokens: null,
  seed: 1,
}
const replica = prepareReplica(question)

describe('prediction', () => {
  test('nearly no load: the lone TTFT and the step time of one', () => {
    const point = predictAt(replica, { ratePerS: 0.01, slots: null })
    expect(point.ttftMs?.p50).toBeCloseTo(60, 0)
    expect(Math.abs((point.tpotMs?.p50 ?? 0) / stepTimeMs(law, 1) - 1)).toBeLessThan(0.03)
    expect(point.utilisation).toBeLessThan(0.01)
  })

  test('TPOT in the middle is the step time at the mean batch', () => {
    const point = predictAt(replica, { ratePerS: 3, slots: null })
    // A request meets the batch that others see plus itself; the p50 lies near the mean of a nearly Poisson occupancy.
    const around = stepTimeMs(law, point.decodeBatch ?? 0)
    expect(Math.abs((point.tpotMs?.p50 ?? 0) / around - 1)).toBeLessThan(0.06)
  })

  test('bounds hold the value and grow with the load', () => {
    const width = (ratePerS: number) => {
      const ttft = predictAt(replica, { ratePerS, slots: null }).ttftMs
      if (ttft === null) throw new Error('refused')
      expect(ttft.p95Bound[0]).toBeLessThan(ttft.p95)
      expect(ttft.p95Bound[1]).toBeGreaterThan(ttft.p95)
      expect(ttft.p50Bound[0]).toBeLessThan(ttft.p50)
      expect(ttft.p50Bound[1]).toBeGreaterThan(ttft.p50)
      return ttft.p95Bound[1] / ttft.p95Bound[0]
    }
    expect(width(5.4)).toBeGreaterThan(2 * width(1))
  })

  test('beyond the capacity, and beyond the measured range, there is a reason instead of a number', () => {
    expect(predictAt(replica, { ratePerS: 9, slots: null })).toMatchObject({
      refused: 'beyond-capacity',
      ttftMs: null,
    })
    const small = prepareReplica({ ...question, fitted: fittedLaw({ concurrencyMax: 4, batchMax: 4 }) })
    const point = predictAt(small, { ratePerS: 1.8, slots: null })
    expect(point).toMatchObject({ refused: 'beyond-measured-range', tpotMs: null })
    expect(() => predictAt(replica, { ratePerS: 0, slots: null })).toThrow('ratePerS must be positive, got 0')
  })
})
