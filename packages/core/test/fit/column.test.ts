import { expect, test } from 'vitest'
import { fitColumn } from '../../src/fit/column.ts'
import { fitCurve } from '../../src/fit/curve.ts'
import { stepTimeMs } from '../../src/fit/law.ts'
import { closedLoopLevels, mainOracle } from '../measured.ts'

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
