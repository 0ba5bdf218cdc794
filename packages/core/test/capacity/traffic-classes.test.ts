import type { TrafficClass } from '@loadcurve/core/capacity/demand'
import { classesAnswer } from '@loadcurve/core/capacity/traffic-classes'
import { describe, expect, test } from 'vitest'
import { FIXED, fittedLaw, linearLaw } from './law-fixture.ts'
import { replicaOf } from './replica-fixture.ts'

// Prompts of 500 to 8,000 tokens were probed, so classes may differ in them.
const law = linearLaw({
  saturationBatch: 31,
  prefillMs: { p0: 10, p1: 0.05, p2: 0 },
  prefillSource: 'probes',
})
const replica = replicaOf({ fitted: fittedLaw({ law, inputTokensRange: [500, 8000] }) })
const hardware = { gpusPerReplica: 1, gpusPerNode: null, failureDomain: 'replica' } as const
const demand = { burstFactor: 1, spareReplicas: 0 }
const one = (name: string, over: Partial<TrafficClass>): TrafficClass => ({
  name,
  peakRequestsPerS: 5,
  meanRequestsPerS: null,
  inputTokens: FIXED(1000),
  outputTokens: FIXED(201),
  slo: [{ metric: 'ttft', percentile: 95, maxMs: 400 }],
  ...over,
})
const answer = (classes: TrafficClass[], batchFor: (maxMs: number) => number | null = () => 24) =>
  classesAnswer({ replica, classes, demand, hardware, batchFor: (slo) => batchFor(slo[0]?.maxMs ?? 0) })

describe('traffic classes', () => {
  test('two halves of one traffic: sharing takes no more, since it rounds up once', () => {
    const halves = answer([one('a', { peakRequestsPerS: 5.2 }), one('b', { peakRequestsPerS: 5.2 })])
    const pools = halves.pools.reduce((sum, pool) => sum + (pool.gpus ?? 0), 0)
    expect(halves.advice).toBe('share')
    expect(halves.shared?.gpus).toBeLessThanOrEqual(pools)
    // The mix of two equal classes is that class.
    expect(
      Math.abs((halves.shared?.requestsPerS ?? 0) / (halves.pools[0]?.requestsPerS ?? 1) - 1),
    ).toBeLessThan(0.05)
  })

  test('long prompts break a strict class’s promise: pools are cheaper, or the only way', () => {
    const strict = one('chat', {
      slo: [{ metric: 'ttft', percentile: 95, maxMs: 120 }],
      peakRequestsPerS: 20,
    })
    const long = one('documents', {
      inputTokens: FIXED(8000),
      slo: [{ metric: 'ttft', percentile: 95, maxMs: 20_000 }],
      peakRequestsPerS: 4,
    })
    const split = answer([strict, long])
    expect(split.advice).toBe('split')
    expect(split.adviceInWords).toMatch(/^Split: /)
    expect(split.pools.every((pool) => pool.refused === null)).toBe(true)
  })

  test('a class out of the measured range, or without a batch, is refused by name', () => {
    const far = answer([one('near', {}), one('far', { outputTokens: FIXED(2000) })])
    expect(far.pools[1]).toMatchObject({ name: 'far', refused: 'beyond-measured-range', gpus: null })
    expect(far.shared).toBeNull()
    const none = answer([one('a', {})], () => null)
    expect(none.pools[0]?.refused).toBe('slo-undecided')
    const impossible = answer([one('a', { slo: [{ metric: 'ttft', percentile: 95, maxMs: 5 }] })])
    expect(impossible.pools[0]?.refused).toBe('slo-below-zero-load')
    expect(impossible.adviceInWords).toContain('Neither')
  })

  test('a class without traffic takes nothing', () => {
    const idle = answer([one('busy', {}), one('idle', { peakRequestsPerS: 0 })])
    expect(idle.pools[1]).toMatchObject({ replicas: 0, gpus: 0 })
    expect(answer([one('idle', { peakRequestsPerS: 0 })]).shared).toBeNull()
  })
})
