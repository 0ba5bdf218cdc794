import { expect, test } from 'vitest'
import { fitStep, fitSweep } from '../../src/fit/pipeline.ts'
import { readLevel } from '../../src/fit/reading.ts'
import { groupRepeats, sweepPoint } from '../../src/fit/sweep.ts'
import { mainOracle } from '../measured.ts'

const options = {
  family: null,
  prefill: { prefillMs: { p0: 400, p1: 0, p2: 0 }, prefillSource: 'ttft' },
  tolerance: 1e-9,
} as const
const sweep = {
  points: groupRepeats(mainOracle().map((level) => readLevel(level, null))).map(sweepPoint),
  outputTokens: 500,
  expertFraction: null,
}

test('pipeline: the main oracle goes through to the reference parameters', () => {
  const fit = fitSweep(sweep, options)
  expect(fit.joint).toBe(true)
  expect(fit.law.baseMs).toBeCloseTo(17.66, 2)
  expect(fit.law.slopeMs).toBeCloseTo(0.879, 3)
  expect(fit.law.saturationBatch).toBeCloseTo(85.44, 2)
  expect(fit.law.ttftBaseMs).toBeCloseTo(446.6, 1)
  expect(fit.law.ttftSlopeMs).toBeCloseTo(8.8, 2)
})

test('pipeline: without measured throughput the parts stand alone', () => {
  const points = sweep.points.map((point) => ({ ...point, requestsPerS: null }))
  expect(fitSweep({ ...sweep, points }, options).joint).toBe(false)
})

test('pipeline: where no law predicts within 10 % the isotonic fit is taken', () => {
  const staircase = [1, 2, 4, 8, 16, 32, 64].map((batch) => {
    const stepMs = batch < 8 ? 10 : 60
    return { batch, stepMs, weight: 1 / stepMs ** 2 }
  })
  const fit = fitStep(staircase, { expertFraction: null, family: null })
  expect(fit.curve.form).toBe('isotonic')
  expect(fit.curve.knots).toHaveLength(7)
  expect(fitStep(staircase, { expertFraction: null, family: 'parametric' }).curve.form).not.toBe('isotonic')
})
