import { expect, test } from 'vitest'
import { readLevel } from '../../src/fit/reading.ts'
import { groupRepeats, sweepPoint } from '../../src/fit/sweep.ts'
import { closedLoopLevels, latency, levelWith } from '../measured.ts'

test('sweep: a level that was measured twice becomes one point, its mean', () => {
  const readings = closedLoopLevels('llamacpp_small_closed').map((level) => readLevel(level, null))
  const groups = groupRepeats(readings)
  expect(readings).toHaveLength(11)
  expect(groups).toHaveLength(10)
  const repeated = groups.find((group) => group.length === 2) ?? []
  const point = sweepPoint(repeated)
  expect(point.stepMs).toBeCloseTo((21.3 + 20.24) / 2, 12)
  expect(point.requestsPerS).toBeCloseTo((1.9134 + 1.97) / 2, 12)
  expect(point.concurrency).toBeCloseTo(3.997, 12)
})

test('sweep: points come in order of their decode batch, whatever the order of the table', () => {
  const readings = closedLoopLevels('llamacpp_small_closed')
    .reverse()
    .map((level) => readLevel(level, null))
  const batches = groupRepeats(readings).map((group) => sweepPoint(group).batch)
  expect(batches).toEqual([...batches].sort((left, right) => left - right))
})

test('sweep: derived throughput is not handed on as measured', () => {
  const level = levelWith({ concurrency: 3, ttftMs: latency({ mean: 100 }), tpotMs: latency({ mean: 10 }) })
  expect(sweepPoint([readLevel(level, 100)]).requestsPerS).toBeNull()
})

test('sweep: two batch limits at one concurrency are two levels', () => {
  const at = (batchLimit: number) =>
    readLevel(
      levelWith({ concurrency: 32, batchLimit, ttftMs: latency({ mean: 9 }), tpotMs: latency({ mean: 9 }) }),
      50,
    )
  expect(groupRepeats([at(8), at(16), at(8)])).toHaveLength(2)
})

test('sweep: the standard error of repeats shrinks with their number', () => {
  const level = levelWith({
    concurrency: 3,
    ttftMs: latency({ mean: 100 }),
    tpotMs: latency({ mean: 10 }),
    errors: { requestsPerS: null, ttft: null, tpot: 0.04 },
  })
  const reading = readLevel(level, 100)
  expect(sweepPoint([reading, reading, reading, reading]).standardErrorFraction).toBeCloseTo(0.02, 12)
})
