import { capacityPerS, replayAt } from '@loadcurve/core/capacity/simulate/rehearsal'
import { describe, expect, test } from 'vitest'
import { engineOf } from '../law-fixture.ts'
import { rehearsalOf } from '../traffic-fixture.ts'

describe('rehearsal', () => {
  test('capacity: a full batch, less the place that a prompt in prefill holds', () => {
    // 32 places; a request decodes 200 steps of itl(32) = 26 ms, and is in one mixed step of 18 + 50 ms before.
    const perRequestMs = 200 * 26 + 68
    expect(
      Math.abs(capacityPerS(rehearsalOf(4000), engineOf()) / ((32 * 1000) / perRequestMs) - 1),
    ).toBeLessThan(0.02)
  })

  test('at half load the decode batch follows Little: rate times decode time', () => {
    const replay = replayAt(rehearsalOf(6000), engineOf(), 3)
    const tpot = replay.latencies.tpot
    const meanTpotMs = tpot.reduce((sum, value) => sum + value, 0) / tpot.length
    expect(Math.abs(replay.decodeBatch / ((3 * 200 * meanTpotMs) / 1000) - 1)).toBeLessThan(0.04)
    expect(replay.admitted).toBeGreaterThan(replay.decodeBatch)
  })

  test('common random numbers: a replay is repeatable, and a higher rate is slower for the same requests', () => {
    const rehearsal = rehearsalOf(3000)
    const p95 = (ratePerS: number) => replayAt(rehearsal, engineOf(), ratePerS).latencies.ttft[2850] ?? 0
    expect(p95(3)).toBe(p95(3))
    const rising = [1, 2, 3, 4, 5].map(p95)
    expect(rising).toEqual([...rising].sort((left, right) => left - right))
  })

  test('burstier arrivals wait longer at the same rate', () => {
    const mean = (cv: number) => {
      const { ttft } = replayAt(
        rehearsalOf(6000, { arrival: { process: 'gamma', cv } }),
        engineOf(),
        4,
      ).latencies
      return ttft.reduce((sum, value) => sum + value, 0) / ttft.length
    }
    expect(mean(0.3)).toBeLessThan(mean(1))
    expect(mean(1)).toBeLessThan(mean(3))
  })

  test('a trace is replayed at the rate asked for', () => {
    const arrival = { process: 'trace', offsetsMs: [0, 10, 11, 40] } as const
    const { offsetsMs } = rehearsalOf(900, { arrival })
    const ratePerS = ((offsetsMs.length - 1) * 1000) / ((offsetsMs.at(-1) ?? 0) - (offsetsMs[0] ?? 0))
    expect(Math.abs(ratePerS - 1)).toBeLessThan(0.01)
    const empty = { process: 'trace', offsetsMs: [5] } as const
    expect(() => rehearsalOf(10, { arrival: empty })).toThrow('a trace needs two arrivals and a duration')
  })
})
