import { gapAround, tellingBatch } from '@loadcurve/core/capacity/telling-level'
import { paddedBatch } from '@loadcurve/core/fit/capture-sizes'
import { describe, expect, test } from 'vitest'
import { paddedCurve } from './padding-fixture.ts'

/** Servers that pad to multiples of these strides, and one that does not pad. */
const differenceBetween =
  (...strides: readonly number[]) =>
  (batch: number) => {
    const padded = strides.map((stride) => paddedBatch([32, 32 + stride, 64], batch))
    return Math.max(0, ...padded.map((size) => size / batch - 1))
  }

describe('the level that tells', () => {
  test('lies above the lower size, by as much as a batch wanders', () => {
    const gap = { lowest: 33, highest: 63, near: 60 }
    // Of a level at 36 the batch wanders from 33, of one at 35 from 32, which no server pads.
    expect(tellingBatch(differenceBetween(8, 16, 32), gap)).toBe(36)
  })

  test('is the nearest of several that tell the same', () => {
    expect(tellingBatch(() => 0.2, { lowest: 33, highest: 63, near: 50 })).toBe(50)
    expect(tellingBatch(() => 0.2, { lowest: 33, highest: 40, near: 50 })).toBe(40)
  })

  test('is the batch itself in a gap without any', () => {
    expect(tellingBatch(() => 0.2, { lowest: 51, highest: 50, near: 50 })).toBe(50)
  })

  test('is looked for between the two levels around the batch', () => {
    const { curve, fitted } = paddedCurve({ concurrencies: [1, 2, 4, 8, 16, 32, 64, 128] })
    // A client that waits for its first token does not decode: the batches are a little smaller.
    expect(gapAround(curve, fitted, 44)).toEqual({ lowest: 32, highest: 63 })
    expect(gapAround(curve, fitted, 150)).toEqual({ lowest: 128, highest: 150 })
  })
})
