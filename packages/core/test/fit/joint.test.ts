import { expect, test } from 'vitest'
import { closedLoopPoint } from '../../src/fit/closed-loop.ts'
import { fitJoint, isJointPoint } from '../../src/fit/joint.ts'
import { readLevel } from '../../src/fit/reading.ts'
import { groupRepeats, sweepPoint } from '../../src/fit/sweep.ts'
import { mainOracle } from '../measured.ts'
import { referenceLaw } from './reference-law.ts'

const points = groupRepeats(mainOracle().map((level) => readLevel(level, null)))
  .map(sweepPoint)
  .filter(isJointPoint)

test('joint: finds the reference minimum of the main oracle from a start that is 20 % off', () => {
  const start = {
    ...referenceLaw,
    baseMs: 21,
    slopeMs: 0.7,
    saturationBatch: 100,
    ttftBaseMs: 380,
    ttftSlopeMs: 10,
  }
  const { law, converged } = fitJoint({ start, points, outputTokens: 500 })
  expect(converged).toBe(true)
  expect(law.baseMs).toBeCloseTo(17.661, 3)
  expect(law.slopeMs).toBeCloseTo(0.879301, 5)
  expect(law.saturationBatch).toBeCloseTo(85.4352, 3)
  expect(law.ttftBaseMs).toBeCloseTo(446.556, 1)
  expect(law.ttftSlopeMs).toBeCloseTo(8.80434, 3)
})

test('joint: throughput and TPOT of the main oracle within 1.5 % at every level', () => {
  const { law } = fitJoint({ start: referenceLaw, points, outputTokens: 500 })
  for (const point of points) {
    const predicted = closedLoopPoint(law, { concurrency: point.concurrency, outputTokens: 500 })
    expect(Math.abs(predicted.requestsPerS / point.requestsPerS - 1)).toBeLessThan(0.015)
    expect(Math.abs(predicted.tpotMs / point.stepMs - 1)).toBeLessThan(0.015)
  }
})

test('joint: a TTFT that does not rise leaves its slope at zero and says converged', () => {
  const flat = { ...referenceLaw, ttftSlopeMs: 0, saturationBatch: null }
  const exact = [1, 5, 20, 60].map((concurrency) => {
    const point = closedLoopPoint(flat, { concurrency, outputTokens: 500 })
    return {
      ...point,
      concurrency,
      stepMs: point.tpotMs,
      weight: 1,
      standardErrorFraction: null,
      batchLimit: null,
    }
  })
  const { law, converged } = fitJoint({
    start: { ...flat, ttftSlopeMs: 0.5, baseMs: 15 },
    points: exact,
    outputTokens: 500,
  })
  expect(converged).toBe(true)
  expect(law.ttftSlopeMs).toBeLessThan(1e-3)
  expect(law.baseMs).toBeCloseTo(17.661, 3)
})
