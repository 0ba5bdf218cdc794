import { expect, test } from 'vitest'
import { fitReport, littlesLawRows } from '../../src/capacity/fit-report.ts'
import { fitCurve } from '../../src/fit/curve.ts'
import { mainOracle } from '../measured.ts'

const settings = { inputTokens: null, outputTokens: null, experts: null, probes: [], seed: 1, draws: 10 }

test('fit report: the reference parameters and the knee at a/s', () => {
  const report = fitReport(fitCurve({ ...settings, levels: mainOracle() }))
  expect(report.model).toBe('linear')
  expect(report.params['baseMs']).toBeCloseTo(17.66, 2)
  expect(report.params['slopeMs']).toBeCloseTo(0.879, 3)
  expect(report.params['saturationBatch']).toBeCloseTo(85.44, 2)
  expect(report.knees['throughputOverLatency']).toBeCloseTo(17.661 / 0.879301, 2)
  expect(report.levels).toHaveLength(8)
  expect(report.levels[4]).toMatchObject({ concurrency: 100, tpotMs: 92.91, excluded: null })
})

test('fit report: without a fit the levels are still shown, with what they failed', () => {
  const levels = mainOracle().map((level) => ({ ...level, okFraction: 0.5 }))
  const report = fitReport(fitCurve({ ...settings, levels }))
  expect(report.model).toBe('none')
  expect(report.levels.map((level) => level.excluded)).toEqual(Array(8).fill('error-rate'))
  expect(report.levels[0]?.predictedTpotMs).toBeNull()
})

test('fit report: a derived throughput has no Little ratio', () => {
  const levels = mainOracle().map((level) => ({ ...level, outputTokensPerS: null }))
  const rows = littlesLawRows(fitCurve({ ...settings, levels }))
  for (const row of rows) expect([row.ratio, row.holds]).toEqual([null, null])
  const measured = littlesLawRows(fitCurve({ ...settings, levels: mainOracle() }))
  expect(measured[0]?.ratio).toBeCloseTo(1, 3)
  expect(measured[0]?.holds).toBe(true)
})
