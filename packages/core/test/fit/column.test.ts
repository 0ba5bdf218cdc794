import { expect, test } from 'vitest'
import { fitColumn } from '../../src/fit/column.ts'
import { fitCurve } from '../../src/fit/curve.ts'
import { stepTimeMs } from '../../src/fit/law.ts'
import { closedLoopLevels, latency, levelWith, mainOracle } from '../measured.ts'

const settings = { inputTokens: null, outputTokens: null, experts: null, probes: [], seed: 1, draws: 50 }
const llamacpp = fitCurve({ ...settings, levels: closedLoopLevels('llamacpp_small_closed') })
const request = { unsaturatedOnly: false, expertFraction: null, seed: 1, draws: 50, name: 'tpot:p95' }

test('column: p95 of TPOT is fitted to its own column', () => {
  const fit = fitColumn(llamacpp, { ...request, valueOf: (level) => level.tpotMs.p95 })
  expect(fit?.points).toHaveLength(10)
  expect(fit?.draws).toHaveLength(50)
  // Measured at six clients (b = 5.65): 29.83 ms; the mean there is 27.91.
  const at565 = fit === null ? 0 : stepTimeMs(fit.curve, 5.65)
  expect(Math.abs(at565 / 29.83 - 1)).toBeLessThan(0.06)
})

test('column: TTFT is read below saturation only', () => {
  const fit = fitColumn(llamacpp, { ...request, unsaturatedOnly: true, valueOf: (level) => level.ttftMs.p95 })
  const batches = fit?.points.map((point) => point.batch) ?? []
  expect(Math.max(...batches)).toBeLessThan(0.97 * 7.7)
})

test('column: a table of means has no percentile', () => {
  const curve = fitCurve({ ...settings, levels: mainOracle() })
  expect(fitColumn(curve, { ...request, valueOf: (level) => level.tpotMs.p95 })).toBeNull()
})

test('column: one level past saturation is a queue too, though it does not tell the saturation', () => {
  // 20 ms per step for up to 32 places; 40 clients wait 1.3 s for one, and prefill takes 60 ms.
  const levels = [1, 2, 4, 8, 16, 32, 40].map((concurrency) => {
    const decoding = Math.min(32, concurrency)
    const requestsPerS = (1000 * decoding) / (60 + 200 * (10 + decoding / 4))
    const ttftMs = concurrency > 32 ? (1000 * concurrency) / requestsPerS - 200 * (10 + 8) : 60
    return levelWith({
      label: `${concurrency} clients`,
      concurrency,
      requestsPerS,
      outputTokens: 201,
      ttftMs: latency({ mean: ttftMs, p95: 1.2 * ttftMs }),
      tpotMs: latency({ mean: 10 + decoding / 4 }),
    })
  })
  const curve = fitCurve({ ...settings, levels })
  expect(curve.saturation).toMatchObject({ decodeBatch: null, past: [6] })
  const fit = fitColumn(curve, { ...request, unsaturatedOnly: true, valueOf: (level) => level.ttftMs.p95 })
  expect(fit?.points).toHaveLength(6)
  expect(fit === null ? 0 : stepTimeMs(fit.curve, 1)).toBeCloseTo(72, 0)
})
