import { openLoopAnswer, sloName } from '@loadcurve/core/capacity/open-loop'
import type { SloTarget } from '@loadcurve/core/capacity/recommendation'
import { prepareReplica, type ReplicaQuestion } from '@loadcurve/core/capacity/replica'
import { scaledLaw } from '@loadcurve/core/capacity/scaled-law'
import { describe, expect, test } from 'vitest'
import { closedLevel, column, FIXED, fittedLaw, linearLaw } from './law-fixture.ts'

const draws = Array.from({ length: 41 }, (_, index) => scaledLaw(linearLaw(), 0.96 + index / 500))
const question: ReplicaQuestion = {
  fitted: fittedLaw({ draws, law: linearLaw({ saturationBatch: 31 }) }),
  levels: [],
  inputTokens: null,
  outputTokens: null,
  arrival: { process: 'poisson' },
  stepTokens: null,
  kvTokens: null,
  seed: 1,
}
const slo: SloTarget[] = [
  { metric: 'ttft', percentile: 95, maxMs: 300 },
  { metric: 'tpot', percentile: 95, maxMs: 20 },
]

describe('open-loop answer', () => {
  test('the promised rate is the slow end of the fit, and all its parts fit together', () => {
    const { openLoop, ...rest } = openLoopAnswer(prepareReplica(question), { slo, slots: 24, ratesPerS: [1] })
    const [low, high] = openLoop.interval ?? [0, 0]
    expect(openLoop.maxRequestsPerS).toBe(low)
    // The ends of the fit are 7 % apart in speed, and with it in batch at a given TPOT.
    expect(high / low).toBeGreaterThan(1.07)
    expect(high / low).toBeLessThan(1.35)
    expect(openLoop.utilisation).toBeLessThan(1)
    expect(rest.limitedBy).toBe('slo:tpot:95')
    expect(rest.reasons).toEqual([])
    expect(rest.operating).toBeGreaterThan(5)
    expect(rest.operating).toBeLessThan(20)
    expect(rest.admissionLimit).toBeGreaterThanOrEqual(rest.operating ?? 0)
    expect(openLoop.predicted?.tpotMs.p95).toBeLessThan(20)
    expect(openLoop.at).toHaveLength(1)
  })

  test('an SLO below zero load is infeasible at any size, in words and by code', () => {
    const impossible: SloTarget[] = [{ metric: 'ttft', percentile: 95, maxMs: 40 }]
    const answer = openLoopAnswer(prepareReplica(question), { slo: impossible, slots: 24, ratesPerS: [] })
    expect(answer.reasons).toEqual(['slo-below-zero-load'])
    expect(answer.openLoop.maxRequestsPerS).toBeNull()
    expect(answer.caveats.join()).toContain('infeasible at any size of the fleet')
  })

  test('lengths beyond the measured range are refused, rates too', () => {
    const replica = prepareReplica({ ...question, outputTokens: FIXED(900) })
    const answer = openLoopAnswer(replica, { slo, slots: 24, ratesPerS: [1] })
    expect(answer.reasons).toEqual(['beyond-measured-range'])
    expect(answer.openLoop.at[0]).toMatchObject({ refused: 'beyond-measured-range', ttftMs: null })
  })

  test('a law that does not give its own levels back promises nothing', () => {
    const levels = [1, 2, 4, 8, 16].map((concurrency) =>
      closedLevel({
        concurrency,
        ttftMs: column({ mean: 60 }),
        tpotMs: column({ mean: 10 + 3 * concurrency }),
      }),
    )
    const answer = openLoopAnswer(prepareReplica({ ...question, levels: levels.slice(0, 3) }), {
      slo,
      slots: 24,
      ratesPerS: [1],
    })
    expect(answer.reasons).toEqual(['law-misses-levels'])
  })

  test('bursty arrivals: where the instant estimate goes astray, a caveat says so', () => {
    const bursty = prepareReplica({ ...question, arrival: { process: 'gamma', cv: 3 } })
    const { openLoop, caveats } = openLoopAnswer(bursty, { slo, slots: 24, ratesPerS: [] })
    const difference = (openLoop.estimateRequestsPerS ?? 0) / (openLoop.maxRequestsPerS ?? 1) - 1
    expect(caveats.some((caveat) => caveat.startsWith('estimate-differs'))).toBe(Math.abs(difference) > 0.2)
  })

  test('names of SLOs', () => {
    expect(sloName({ metric: 'tpot', percentile: 'mean', maxMs: 1 })).toBe('slo:tpot:mean')
  })
})
