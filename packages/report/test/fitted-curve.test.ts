import type { FitLevelReport, FitReport } from '@loadcurve/core/capacity/recommendation'
import { fittedCurve, fittedPoint, kneeOf } from '@loadcurve/report/fitted-curve'
import { expect, test } from 'vitest'

const OUTPUT_TOKENS = 51

// itl(b) = 10 + b, so at b = 10: TPOT 20 ms, X = 10 / (50 * 0.02 s) = 10/s, and 510 output tokens/s.
const level = (decodeBatch: number, part: Partial<FitLevelReport> = {}): FitLevelReport => {
  const tpotMs = 10 + decodeBatch
  const requestsPerS = (1000 * decodeBatch) / ((OUTPUT_TOKENS - 1) * tpotMs)
  return {
    label: String(decodeBatch),
    concurrency: decodeBatch,
    achieved: decodeBatch,
    decodeBatch,
    tpotMs,
    predictedTpotMs: tpotMs,
    boundTpotMs: [0.9 * tpotMs, 1.2 * tpotMs],
    looPredictedTpotMs: null,
    requestsPerS,
    predictedRequestsPerS: requestsPerS,
    looPredictedRequestsPerS: null,
    outputTokensPerS: OUTPUT_TOKENS * requestsPerS,
    ttftMs: null,
    predictedTtftMs: null,
    excluded: null,
    ...part,
  }
}

const fit = (levels: readonly FitLevelReport[], part: Partial<FitReport> = {}): FitReport => ({
  model: 'linear',
  params: { baseMs: 10, slopeMs: 1, shapeMs: 0, expertFraction: null },
  looErrorFraction: 0.01,
  converged: true,
  knees: { throughputOverLatency: 10 },
  levels,
  ...part,
})

test('fitted curve: follows the law between the measured batches and never beyond', () => {
  const curve = fittedCurve(fit([level(1), level(16), level(4)]))
  expect(curve[0]?.decodeBatch).toBe(1)
  expect(curve.at(-1)?.decodeBatch).toBe(16)
  for (const { decodeBatch, tpotMs } of curve) expect(tpotMs).toBeCloseTo(10 + decodeBatch, 9)
  expect(fittedPoint(fit([level(1), level(16)]), 17)).toBeNull()
})

test('fitted curve: throughput is what the law implies', () => {
  expect(fittedPoint(fit([level(1), level(16)]), 10)?.outputTokensPerS).toBeCloseTo(510, 9)
})

test('fitted curve: between levels the bounds keep their distance to the law', () => {
  const point = fittedPoint(fit([level(1), level(16, { boundTpotMs: [26, 0.7 * 26 + 0.6 * 26] })]), 8.5)
  // Halfway: low between 0.9 and 1, high between 1.2 and 1.3.
  expect(point?.boundTpotMs?.[0]).toBeCloseTo(18.5 * 0.95, 9)
  expect(point?.boundTpotMs?.[1]).toBeCloseTo(18.5 * 1.25, 9)
})

test('fitted curve: an excluded level does not stretch it, and without a law there is none', () => {
  const curve = fittedCurve(fit([level(1), level(8), level(64, { excluded: 'held-out' })]))
  expect(curve.at(-1)?.decodeBatch).toBe(8)
  expect(fittedCurve(fit([level(1)], { model: 'none', params: {} }))).toEqual([])
})

test('fitted curve: a fit without a law is straight lines between its levels', () => {
  const levels = [level(1, { predictedTpotMs: 10 }), level(3, { predictedTpotMs: 20 })]
  expect(fittedPoint(fit(levels, { model: 'isotonic', params: {} }), 2)?.tpotMs).toBeCloseTo(15, 9)
})

test('knee: is shown where it was measured, else not', () => {
  expect(kneeOf(fit([level(1), level(16)]))?.tpotMs).toBeCloseTo(20, 9)
  expect(kneeOf(fit([level(1), level(8)]))).toBeNull()
})
