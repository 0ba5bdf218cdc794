import { expect, test } from 'vitest'
import { isDirtySweep } from '../../src/fit/dirty-sweep.ts'
import type { Level } from '../../src/fit/level.ts'
import { readLevel } from '../../src/fit/reading.ts'
import { groupRepeats, sweepPoint } from '../../src/fit/sweep.ts'
import { closedLoopLevels, mainOracle } from '../measured.ts'

const pointsOf = (levels: readonly Level[]) =>
  groupRepeats(levels.map((level) => readLevel(level, 500))).map(sweepPoint)

test('dirty sweep: the contradictory sweep is', () => {
  expect(isDirtySweep(pointsOf(closedLoopLevels('aic_qwen3_32b_gb200_dirty')))).toBe(true)
})

test('dirty sweep: a sound one is not, although its plateau goes up and down by 0.4 %', () => {
  expect(isDirtySweep(pointsOf(mainOracle()))).toBe(false)
})

test('dirty sweep: one small fall among eight levels is tolerated', () => {
  const points = [10, 11, 12, 14, 13, 18, 26, 42].map((stepMs, index) => ({
    batch: 2 ** index,
    concurrency: 2 ** index,
    stepMs,
    weight: 1 / stepMs ** 2,
    ttftMs: null,
    requestsPerS: null,
    standardErrorFraction: null,
    batchLimit: null,
  }))
  expect(isDirtySweep(points)).toBe(false)
})
