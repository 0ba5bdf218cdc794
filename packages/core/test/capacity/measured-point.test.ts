import { measuredPoints, typicalMs } from '@loadcurve/core/capacity/measured-point'
import { expect, test } from 'vitest'
import { closedLevel, column } from './law-fixture.ts'

const good = closedLevel({
  concurrency: 8,
  requestsPerS: 2,
  ttftMs: column({ mean: 200, p50: 180 }),
  tpotMs: column({ mean: 18 }),
})

test('measured points: decode batch by Little’s law on the decode stage, ascending in concurrency', () => {
  const points = measuredPoints([good, closedLevel({ ...good, concurrency: 2 })], 101)
  expect(points.map((point) => point.concurrency)).toEqual([2, 8])
  expect(points[1]?.decodeBatch).toBeCloseTo(2 * 100 * 0.018, 12)
  expect(typicalMs(good.ttftMs)).toBe(180)
  expect(typicalMs(good.tpotMs)).toBe(18)
})

test('measured points: a missing throughput follows from the residence', () => {
  const derived = measuredPoints([closedLevel({ ...good, requestsPerS: null })], 101)
  expect(derived[0]?.requestsPerS).toBeCloseTo(8 / (0.2 + 1.8), 12)
  const tokens = measuredPoints([closedLevel({ ...good, requestsPerS: null, outputTokensPerS: 303 })], 101)
  expect(tokens[0]?.requestsPerS).toBeCloseTo(3, 12)
})

test('measured points: open loop, think time, excluded and incomplete levels are left out', () => {
  const levels = [
    closedLevel({ ...good, kind: 'open-loop' }),
    closedLevel({ ...good, thinkTimeS: 3 }),
    closedLevel({ ...good, excluded: 'error-rate' }),
    closedLevel({ ...good, tpotMs: column() }),
    closedLevel({ ...good, concurrency: null }),
  ]
  expect(measuredPoints(levels, 101)).toEqual([])
})
