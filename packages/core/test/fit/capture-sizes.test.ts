import { captureSizesOf, paddedBatch, UNPADDED, usualCaptureSizes } from '@loadcurve/core/fit/capture-sizes'
import { describe, expect, test } from 'vitest'

describe('capture sizes', () => {
  test('a batch runs as the next size, itself when it is one, and unpadded beyond the last', () => {
    const sizes = [1, 2, 4, 8, 16]
    expect([1, 2, 3, 8, 9, 16, 17].map((batch) => paddedBatch(sizes, batch))).toEqual([
      1, 2, 4, 8, 16, 16, 17,
    ])
    expect(paddedBatch(UNPADDED, 13)).toBe(13)
  })

  test('the usual ones: strides and doublings, each once, reaching beyond four times the largest batch', () => {
    const usual = usualCaptureSizes(50)
    const upTo100 = usual.map((sizes) => sizes.filter((size) => size <= 100).join())
    expect(upTo100).toContain('1,2,4,8,16,24,32,40,48,56,64,72,80,88,96')
    expect(upTo100).toContain('1,2,4,8,16,32,64')
    expect(upTo100).toContain('1,2,4,8,16,24,32,64')
    expect(upTo100).toContain('1,2,4,8,16,32,64,96')
    const texts = usual.map((sizes) => sizes.join())
    expect(new Set(texts).size).toBe(texts.length)
    for (const sizes of usual) {
      expect(sizes.at(-1)).toBeGreaterThanOrEqual(200)
      expect([...sizes].sort((left, right) => left - right)).toEqual(sizes)
    }
  })

  test('as people write them: in any order, twice, none, or not at all', () => {
    expect(captureSizesOf([8, 1, 2, 8])).toEqual([1, 2, 8])
    expect(captureSizesOf([])).toEqual([])
    expect(captureSizesOf(null)).toBeNull()
    expect(captureSizesOf(undefined)).toBeNull()
  })

  test('a small sweep has its candidates too', () => {
    expect(usualCaptureSizes(1).map((sizes) => sizes.slice(0, 4).join())).toContain('1,2,4,8')
  })
})
