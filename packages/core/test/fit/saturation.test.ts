import { expect, test } from 'vitest'
import { closedLoopPoint } from '../../src/fit/closed-loop.ts'
import type { Level } from '../../src/fit/level.ts'
import { readLevel } from '../../src/fit/reading.ts'
import { readSaturation } from '../../src/fit/saturation.ts'
import { groupRepeats, type SweepPoint, sweepPoint } from '../../src/fit/sweep.ts'
import { closedLoopLevels, mainOracle } from '../measured.ts'
import { referenceLaw } from './reference-law.ts'

const pointsOf = (levels: readonly Level[]) =>
  groupRepeats(levels.map((level) => readLevel(level, null))).map(sweepPoint)

/** Points of the reference law at given concurrencies, without noise. */
const exactPoints = (concurrencies: readonly number[]): SweepPoint[] =>
  concurrencies.map((concurrency) => {
    const point = closedLoopPoint(referenceLaw, { concurrency, outputTokens: 500 })
    return {
      ...point,
      concurrency,
      stepMs: point.tpotMs,
      weight: 1,
      standardErrorFraction: null,
      batchLimit: null,
    }
  })

test('saturation: the main oracle saturates at 85.4 ± 0.5', () => {
  const reading = readSaturation(pointsOf(mainOracle()))
  expect(reading.past).toHaveLength(4)
  expect(Math.abs((reading.decodeBatch ?? 0) - 85.4)).toBeLessThan(0.5)
})

test('saturation: eight slots of a real engine read as 7.7 ± 0.2', () => {
  const reading = readSaturation(pointsOf(closedLoopLevels('llamacpp_small_closed')))
  // N = 8 fills the slots but nobody waits for one; 10, 12 and 16 do.
  expect(reading.past).toHaveLength(3)
  expect(Math.abs((reading.decodeBatch ?? 0) - 7.7)).toBeLessThan(0.2)
})

test('saturation: one level past it does not identify it', () => {
  const reading = readSaturation(exactPoints([1, 5, 25, 50, 150]))
  expect(reading.past).toEqual([4])
  expect(reading.decodeBatch).toBeNull()
})

test('saturation: a sweep that never queues has none, and keeps its whole TTFT line', () => {
  const reading = readSaturation(exactPoints([1, 5, 25, 50, 80]))
  expect(reading.past).toEqual([])
  expect(reading.ttft.baseMs).toBeCloseTo(446.556, 6)
  expect(reading.ttft.slopeMs).toBeCloseTo(8.80434, 6)
})
