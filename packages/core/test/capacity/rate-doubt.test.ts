import { openLoopAnswer } from '@loadcurve/core/capacity/open-loop'
import { isRateInDoubt, leastPadded, rateLevelWanted } from '@loadcurve/core/capacity/rate-doubt'
import { replicaEngine } from '@loadcurve/core/capacity/replica'
import { describe, expect, test } from 'vitest'
import { replicaOf } from './replica-fixture.ts'

/** Steps of 9 to 15 sequences may take as long as those of 16. */
const paddedSteps = {
  certain: null,
  leastMs: () => 0,
  mostMs: (batch: number) => (batch > 8 && batch < 16 ? 0.5 * (16 - batch) : 0),
}
const slo = [{ metric: 'tpot' as const, percentile: 95, maxMs: 16 }]

describe('a rate between levels', () => {
  test('the slow end takes the worst padding, the expected one the best', () => {
    const plain = replicaOf()
    const padded = replicaOf({ paddedSteps })
    const at = (replica: typeof plain, lawCase: 'slow' | 'expected', batch: number) =>
      replicaEngine(replica, lawCase, 24).decodeMs[batch] ?? 0
    expect(at(padded, 'expected', 10)).toBe(at(plain, 'expected', 10))
    const cost = at(padded, 'slow', 10) - at(plain, 'slow', 10)
    expect(cost).toBeGreaterThanOrEqual(3)
    expect(cost).toBeLessThan(3.5)
    expect(at(padded, 'slow', 8)).toBe(at(plain, 'slow', 8))
  })

  test('steps in doubt that halve the rate: no rate, its two ends, and the level that would tell', () => {
    const { openLoop, reasons, caveats, levelWanted } = openLoopAnswer(replicaOf({ paddedSteps }), {
      slo,
      slots: 15,
      ratesPerS: [],
    })
    expect(openLoop.maxRequestsPerS).toBeNull()
    expect(reasons).toEqual(['rate-between-levels'])
    const told = caveats.find((caveat) => caveat.startsWith('rate-between-levels')) ?? ''
    const [, low, high] = /([\d.]+) requests.s if .* and ([\d.]+) if it does not/.exec(told) ?? []
    expect(Number(low)).toBeLessThan(0.92 * Number(high))
    expect(levelWanted?.batch).toBeGreaterThan(8)
    expect(levelWanted?.batch).toBeLessThan(16)
  })

  test('a server that certainly pads is no doubt, only slower', () => {
    const certain = { ...paddedSteps, leastMs: paddedSteps.mostMs }
    const { openLoop } = openLoopAnswer(replicaOf({ paddedSteps: certain }), {
      slo,
      slots: 15,
      ratesPerS: [],
    })
    const plain = openLoopAnswer(replicaOf(), { slo, slots: 15, ratesPerS: [] }).openLoop.maxRequestsPerS ?? 0
    expect(openLoop.maxRequestsPerS).toBeGreaterThan(0)
    expect(openLoop.maxRequestsPerS).toBeLessThan(plain)
  })

  test('batches beyond the limit that is set are no doubt', () => {
    const replica = replicaOf({ paddedSteps })
    expect(leastPadded(replica, replicaEngine(replica, 'slow', 8))).toBeNull()
    expect(leastPadded(replica, replicaEngine(replica, 'slow', 12))).not.toBeNull()
  })

  test('the level wanted lies in the middle of the batches in doubt', () => {
    const replica = replicaOf({ paddedSteps })
    const wanted = rateLevelWanted(replica, replicaEngine(replica, 'slow', 31), 4)
    expect(wanted?.batch).toBe(12)
    expect(wanted?.concurrency).toBeGreaterThanOrEqual(12)
  })

  test('a rate that is hardly lower is no doubt', () => {
    expect(isRateInDoubt(0.93, 1)).toBe(false)
    expect(isRateInDoubt(0.91, 1)).toBe(true)
  })
})
