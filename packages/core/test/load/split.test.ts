import { poissonArrivals } from '@loadcurve/core/load/arrivals'
import { dealConcurrency, dealSchedule } from '@loadcurve/core/load/split'
import { seededRandom } from '@loadcurve/core/random'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

function schedule(seed: number, untilMs: number): number[] {
  const offsets: number[] = []
  for (const offset of poissonArrivals(200, seededRandom(seed))) {
    if (offset > untilMs) break
    offsets.push(offset)
  }
  return offsets
}

describe('split', () => {
  test('the union over the parts is exactly the schedule', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.integer({ min: 1, max: 9 }), (values, shards) => {
        const parts = Array.from({ length: shards }, (_, shard) => [
          ...dealSchedule(values, { shard, shards }),
        ])
        const union = parts.flat().sort((left, right) => left.index - right.index)
        expect(union.map((entry) => entry.index)).toEqual(values.map((_, index) => index))
        expect(union.map((entry) => entry.value)).toEqual(values)
      }),
    )
  })

  test('four processes from one seed together keep the dispersion of a Poisson count at 1', () => {
    const bins = new Array<number>(2000).fill(0)
    for (let shard = 0; shard < 4; shard++) {
      for (const { value } of dealSchedule(schedule(11, 200_000), { shard, shards: 4 })) {
        const bin = Math.floor(value / 100)
        bins[bin] = (bins[bin] ?? 0) + 1
      }
    }
    const mean = bins.reduce((sum, count) => sum + count, 0) / bins.length
    const variance = bins.reduce((sum, count) => sum + (count - mean) ** 2, 0) / (bins.length - 1)
    // Var of the index of dispersion under Poisson is 2 / (bins - 1).
    expect(Math.abs(variance / mean - 1)).toBeLessThan(4 * Math.sqrt(2 / (bins.length - 1)))
  })

  test('concurrency parts sum to the total and differ by at most one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 1, max: 64 }), (total, shards) => {
        const parts = Array.from({ length: shards }, (_, shard) => dealConcurrency(total, { shard, shards }))
        expect(parts.reduce((sum, part) => sum + part, 0)).toBe(total)
        expect(Math.max(...parts) - Math.min(...parts)).toBeLessThanOrEqual(1)
      }),
    )
  })

  test('an impossible part is refused with its value', () => {
    expect(() => dealConcurrency(4, { shard: 3, shards: 3 })).toThrow(
      'shard must be a whole number below 3, got 3',
    )
    expect(() => dealConcurrency(4, { shard: 0, shards: 0 })).toThrow('shards must be at least 1, got 0')
    expect(() => dealConcurrency(1.5, { shard: 0, shards: 1 })).toThrow(
      'total must be a whole number, got 1.5',
    )
  })
})
