import { expect, test } from 'vitest'
import type { SloTarget } from '../../src/capacity/recommendation.ts'
import { sloLimits, ttftCurve } from '../../src/capacity/slo-limits.ts'
import { fitCurve } from '../../src/fit/curve.ts'
import { stepTimeMs } from '../../src/fit/law.ts'
import { referenceLaw } from '../fit/reference-law.ts'
import { closedLoopLevels, latency, mainOracle } from '../measured.ts'

const fitSettings = { inputTokens: null, outputTokens: null, experts: null, probes: [], seed: 1, draws: 10 }
const settings = { expertFraction: null, seed: 1, draws: 10 }
const limitsOf = (levels: ReturnType<typeof closedLoopLevels>, slo: SloTarget[]) => {
  const curve = fitCurve({ ...fitSettings, levels })
  if (curve.fitted === null) throw new Error('the fixture must fit')
  return { curve, ...sloLimits(curve, { fitted: curve.fitted, slo, settings }) }
}

test('slo limits: mean TPOT is judged on the law itself, p95 on its own column', () => {
  const { curve, limits } = limitsOf(closedLoopLevels('llamacpp_small_closed'), [
    { metric: 'tpot', percentile: 'mean', maxMs: 30 },
    { metric: 'tpot', percentile: 95, maxMs: 30 },
    { metric: 'ttft', percentile: 95, maxMs: 300 },
  ])
  expect(limits.map(({ code, binds }) => `${code} binds ${binds}`)).toEqual([
    'slo:tpot:mean binds batch',
    'slo:tpot:p95 binds batch',
    'slo:ttft:p95 binds load',
  ])
  expect(limits[0]?.curve).toBe(curve.fitted?.law)
  const [mean, p95] = limits.map((limit) => stepTimeMs(limit.curve, 6))
  expect(p95).toBeGreaterThan(mean ?? 0)
})

test('slo limits: a percentile that no column carries is refused', () => {
  const { limits, refusals } = limitsOf(mainOracle(), [
    { metric: 'tpot', percentile: 'mean', maxMs: 40 },
    { metric: 'ttft', percentile: 95, maxMs: 800 },
  ])
  expect(limits).toHaveLength(1)
  expect(refusals).toEqual(['percentile-not-in-table'])
})

test('slo limits: between two levels a token gap is taken to be that of the higher one', () => {
  const levels = mainOracle().map((level, index) => ({
    ...level,
    gapMs: latency({ p95: index < 3 ? 20 : 60 }),
  }))
  const { limits } = limitsOf(levels, [{ metric: 'gap', percentile: 95, maxMs: 40 }])
  const curve = limits[0]?.curve
  // Levels at b = 24.1 and 48.6: the gap flips somewhere between, so it is not interpolated.
  expect([20, 24.1, 25, 40, 60].map((batch) => (curve ? stepTimeMs(curve, batch) : 0))).toEqual([
    20, 20, 60, 60, 60,
  ])
})

test('slo limits: mean TTFT below saturation is its line', () => {
  expect(stepTimeMs(ttftCurve(referenceLaw), 10)).toBeCloseTo(446.556 + 88.0434, 9)
})
