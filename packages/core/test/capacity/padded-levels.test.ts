import { paddedLevels } from '@loadcurve/core/capacity/padded-levels'
import type { Level } from '@loadcurve/core/fit/level'
import { expect, test } from 'vitest'
import { curveOf, paddedCurve, paddedSweep } from './padding-fixture.ts'

test('the batch of a level wanders up to its clients, and its size is the mean over that range', () => {
  // Half of the time in prefill: of 40 clients about 33 decode.
  const { curve, fitted } = paddedCurve({ concurrencies: [1, 2, 4, 8, 16, 40], ttftMs: 1000 })
  const level = paddedLevels(curve, fitted).at(-1)
  expect(level?.batch).toBeGreaterThan(31)
  expect(level?.batch).toBeLessThan(36)
  expect(level?.highest).toBeGreaterThanOrEqual(35)
  expect(level?.highest).toBeLessThanOrEqual(40)
  expect(level?.meanPadded([])).toBe(level?.batch)
  // Partly up to 32, partly above.
  expect(level?.meanPadded([32, 64])).toBeGreaterThan(40)
  expect(level?.meanPadded([32, 64])).toBeLessThan(64)
  expect(level?.meanPadded([64])).toBe(64)
})

test('past saturation all places are taken, and the batch does not wander', () => {
  const { curve, fitted } = paddedCurve({ concurrencies: [1, 2, 4, 8, 16, 40], ttftMs: 1000 })
  const law = { ...fitted.law, saturationBatch: paddedLevels(curve, fitted).at(-1)?.batch ?? null }
  const full = paddedLevels(curve, { ...fitted, law }).at(-1)
  expect(full?.highest).toBe(Math.round(full?.batch ?? 0))
})

test('levels with clients that hardly ever prefill run at their clients', () => {
  const { curve, fitted } = paddedCurve({ concurrencies: [1, 2, 4, 8, 16, 32, 64] })
  expect(paddedLevels(curve, fitted).map((level) => level.meanPadded([1, 2, 4, 8, 16, 32, 64]))).toEqual([
    1, 2, 4, 8, 16, 32, 64,
  ])
})

test('a level that was held out of the fit is a level here, unless it fails a gate', () => {
  const sweep = paddedSweep({ concurrencies: [1, 2, 4, 8, 16, 24, 32] })
  const heldOut = (known: Partial<Level>) =>
    sweep.map((level) => (level.concurrency === 24 ? { ...level, ...known, excluded: 'held-out' } : level))
  const batches = (known: Partial<Level>) => {
    const { curve, fitted } = curveOf(heldOut(known))
    return paddedLevels(curve, fitted).map(({ batch }) => Math.round(batch))
  }
  expect(batches({})).toEqual([1, 2, 4, 8, 16, 24, 32])
  expect(batches({ okFraction: 0.5 })).toEqual([1, 2, 4, 8, 16, 32])
})

test('a batch does not wander beyond the limit that was set, as its clients would let it', () => {
  // Forty clients, of which 33 decode: up to 36 without a limit.
  const sweep = paddedSweep({ concurrencies: [1, 2, 4, 8, 16, 40], ttftMs: 1000 })
  const limited = sweep.map((level) => (level.concurrency === 40 ? { ...level, batchLimit: 34 } : level))
  const { curve, fitted } = curveOf(limited)
  expect(paddedLevels(curve, fitted).at(-1)?.highest).toBeLessThanOrEqual(34)
})
