import { readStep, windowSOf } from '@loadcurve/core/metrics/step-source'
import { expect, test } from 'vitest'
import { factsOf, sampleAt, shardOf } from './records.ts'

test('step source: open loop is what has a rate', () => {
  const loop = (ratePerS: number | null) =>
    readStep([shardOf([])], factsOf({ level: { batch: null, concurrency: null, ratePerS } })).loop
  expect([loop(3), loop(null)]).toEqual(['open', 'closed'])
})

test('step source: what all parts share', () => {
  const source = readStep([shardOf([sampleAt(0), sampleAt(500, { index: 1, sequences: 3 })])], factsOf())
  expect(windowSOf(source)).toBe(1)
  expect(source).toMatchObject({ sequences: 2, window: { startMs: 0, endMs: 1_000 } })
  expect(source.completions).toHaveLength(2)
  expect(readStep([shardOf([])], factsOf()).sequences).toBe(1)
})
