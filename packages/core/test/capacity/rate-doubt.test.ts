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

  test('steps that are in doubt only behind a delay: a rate, what it rests on, and the level that would tell', () => {
    const nothing = { certain: null, leastMs: () => 0, mostMs: () => 0 }
    const ask = { slo, slots: 15, ratesPerS: [] }
    const plain = openLoopAnswer(replicaOf({ paddedSteps: nothing, paddedBehindDelay: nothing }), ask)
    const rests = openLoopAnswer(replicaOf({ paddedSteps: nothing, paddedBehindDelay: paddedSteps }), ask)
    expect(rests.openLoop.maxRequestsPerS).toBe(plain.openLoop.maxRequestsPerS)
    const told = rests.caveats.find((caveat) => caveat.startsWith('rate-rests-on-ttft')) ?? ''
    const [, ms] = /in ([\d.]+) ms, promised p95 TPOT <= 16 ms; a level at a concurrency/.exec(told) ?? []
    expect(Number(ms)).toBeGreaterThan(1.03 * 16)
    expect(rests.levelWanted?.batch).toBeGreaterThan(8)
    expect(rests.levelWanted?.batch).toBeLessThan(16)
    expect(plain.caveats.join()).not.toContain('rate-rests-on-ttft')
    expect(plain.levelWanted).toBeNull()
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

  test('the level wanted lies where the batches in doubt differ most', () => {
    const replica = replicaOf({ paddedSteps })
    const wanted = rateLevelWanted(replica, replicaEngine(replica, 'slow', 31), 4)
    expect(wanted?.batch).toBe(9)
    expect(wanted?.concurrency).toBeGreaterThanOrEqual(9)
  })

  test('a rate that is hardly lower is no doubt', () => {
    expect(isRateInDoubt(0.93, 1)).toBe(false)
    expect(isRateInDoubt(0.91, 1)).toBe(true)
  })
})
