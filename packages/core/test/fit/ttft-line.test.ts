import { expect, test } from 'vitest'
import { fitTtftLine } from '../../src/fit/ttft-line.ts'

test('ttft line: exact values are recovered, missing ones skipped', () => {
  const line = fitTtftLine([
    { batch: 1, ttftMs: 110 },
    { batch: 3, ttftMs: null },
    { batch: 5, ttftMs: 150 },
    { batch: 20, ttftMs: 300 },
  ])
  expect(line.baseMs).toBeCloseTo(100, 9)
  expect(line.slopeMs).toBeCloseTo(10, 9)
})

test('ttft line: it does not fall, and a single point is flat', () => {
  // Relative weights: 1/1² against 1/2²·... the level of a flat line is Σ(1/y) / Σ(1/y²).
  const falling = fitTtftLine([
    { batch: 1, ttftMs: 200 },
    { batch: 10, ttftMs: 100 },
  ])
  expect(falling.slopeMs).toBe(0)
  expect(falling.baseMs).toBeCloseTo((1 / 200 + 1 / 100) / (1 / 200 ** 2 + 1 / 100 ** 2), 9)
  expect(fitTtftLine([{ batch: 4, ttftMs: 120 }])).toEqual({ baseMs: 120, slopeMs: 0 })
  expect(fitTtftLine([])).toEqual({ baseMs: 0, slopeMs: 0 })
})
