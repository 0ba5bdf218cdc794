import type { SimulationLog } from '@loadcurve/core/capacity/simulate/engine'
import {
  judgedEndMs,
  judgedMs,
  latenciesOf,
  meanOf,
  percentileOf,
  runLogs,
} from '@loadcurve/core/capacity/simulate/latencies'
import { seededRandom } from '@loadcurve/core/random'
import { describe, expect, test } from 'vitest'

const SILENT = { sigma: { ttftSigma: 0, tpotSigma: 0 }, random: seededRandom(1) }

function logOf(
  requests: readonly { arrived: number; first: number; ended: number; tokens: number }[],
): SimulationLog {
  return {
    requests: {
      arrivedAtMs: Float64Array.from(requests, (each) => each.arrived),
      firstAtMs: Float64Array.from(requests, (each) => each.first),
      endedAtMs: Float64Array.from(requests, (each) => each.ended),
      outputTokens: Float64Array.from(requests, (each) => each.tokens),
    },
    gaps: {
      ms: [10, 80, 12, 95],
      gaps: [60, 6, 30, 4],
      batch: [1, 6, 2, 4],
    },
    decodeBatchMs: 0,
    admittedMs: 0,
    elapsedMs: 1,
    preemptions: 0,
    complete: true,
  }
}

const log = logOf([
  { arrived: 0, first: 999, ended: 9999, tokens: 10 },
  { arrived: 10, first: 30, ended: 130, tokens: 11 },
  { arrived: 20, first: 70, ended: 70, tokens: 1 },
  { arrived: 30, first: Number.NaN, ended: Number.NaN, tokens: 5 },
])

describe('latencies', () => {
  test('only counted requests are in; a one-token answer has no TPOT; one never served is late, not absent', () => {
    const { ttft, tpot, e2e } = latenciesOf(log, { from: 1, to: 4 }, SILENT)
    expect([...ttft]).toEqual([20, 50, Infinity])
    expect([...tpot]).toEqual([10, Infinity])
    expect([...e2e]).toEqual([50, 120, Infinity])
  })

  test('percentiles are of type 7, and none of nothing', () => {
    const values = Float64Array.of(1, 2, 3, 4, 10)
    expect(percentileOf(values, 50)).toBe(3)
    expect(percentileOf(values, 90)).toBeCloseTo(4 + 0.6 * 6, 12)
    expect(percentileOf(Float64Array.of(1, Infinity, Infinity), 95)).toBe(Infinity)
    expect(percentileOf(new Float64Array(0), 50)).toBeNull()
    expect(meanOf(values)).toBe(4)
  })

  test('token gaps: weighted by how many tokens waited that long', () => {
    const latencies = latenciesOf(log, { from: 1, to: 3 }, SILENT)
    const gap = (percentile: number | 'mean') =>
      judgedMs({ metric: 'gap', percentile, maxMs: 1 }, latencies, log)
    expect([gap(50), gap(80), gap(95), gap(99)]).toEqual([10, 12, 80, 95])
    expect(gap('mean')).toBeCloseTo((60 * 10 + 30 * 12 + 6 * 80 + 4 * 95) / 100, 12)
  })

  test('metrics without a twin are judged by the one that bounds them', () => {
    const latencies = latenciesOf(log, { from: 1, to: 3 }, SILENT)
    const judged = (metric: 'ttftScheduled' | 'firstVisibleToken' | 'validJson') =>
      judgedMs({ metric, percentile: 50, maxMs: 1 }, latencies, log)
    expect(judged('ttftScheduled')).toBe(35)
    expect(judged('firstVisibleToken')).toBe(35)
    expect(judged('validJson')).toBe(85)
  })

  test('noise spreads by its sigma and leaves the median', () => {
    const many = logOf(
      Array.from({ length: 20_001 }, () => ({ arrived: 0, first: 100, ended: 200, tokens: 11 })),
    )
    const noise = { sigma: { ttftSigma: 0.2, tpotSigma: 0 }, random: seededRandom(2) }
    const { ttft, tpot } = latenciesOf(many, { from: 0, to: 20_001 }, noise)
    // Standard error of a median: 1.2533 sigma / sqrt(n).
    expect(Math.abs(Math.log((percentileOf(ttft, 50) ?? 0) / 100))).toBeLessThan(
      (4 * 1.2533 * 0.2) / Math.sqrt(20_000),
    )
    expect(Math.abs(Math.log((percentileOf(ttft, 95) ?? 0) / 100) / 0.2 - 1.6449)).toBeLessThan(0.06)
    expect(tpot[0]).toBe(10)
  })

  test('a stall makes its share of the arrivals wait, evenly up to its length', () => {
    const many = logOf(
      Array.from({ length: 20_000 }, () => ({ arrived: 0, first: 100, ended: 200, tokens: 11 })),
    )
    const stall = { fraction: 0.2, lengthMs: 500 }
    const noise = { sigma: { ttftSigma: 0, tpotSigma: 0, stall }, random: seededRandom(5) }
    const { ttft } = latenciesOf(many, { from: 0, to: 20_000 }, noise)
    const late = ttft.filter((ms) => ms > 100).length / 20_000
    expect(Math.abs(late - 0.2)).toBeLessThan(4 * Math.sqrt((0.2 * 0.8) / 20_000))
    // The p95 lies three quarters into the stalled fifth: 375 ms late, give or take its sampling error.
    expect(Math.abs((percentileOf(ttft, 95) ?? 0) - 475)).toBeLessThan(
      4 * 500 * (Math.sqrt((0.95 * 0.05) / 20_000) / 0.2),
    )
  })

  test('runs: the percentile of each in order, and the upper bound above the figure by their scatter', () => {
    const random = seededRandom(3)
    const requests = Array.from({ length: 4000 }, () => ({
      arrived: 0,
      first: 100 * Math.exp(random()),
      ended: 900,
      tokens: 2,
    }))
    const many = logOf(requests)
    const latencies = latenciesOf(many, { from: 0, to: 4000 }, SILENT)
    expect(runLogs(latencies.inOrder.ttft, { size: 1500, percentile: 50 })).toHaveLength(2)
    const target = { metric: 'ttft', percentile: 95, maxMs: 1 } as const
    const judged = judgedMs(target, latencies, many) ?? 1
    const at = (end: 'upper' | 'drawn' | 'lower') => judgedEndMs(target, { latencies, log: many }, end) ?? 0
    const ratio = at('upper') / judged
    expect(at('drawn')).toBe(judged)
    expect(at('lower') * at('upper')).toBeCloseTo(judged ** 2, 6)
    // The 95th percentile of ln is uniform's: sd sqrt(0.95 * 0.05 / n); 1.28 of them above.
    const expected = 1.2816 * Math.sqrt((0.95 * 0.05) / 4000)
    expect(Math.log(ratio)).toBeGreaterThan(expected * 0.6)
    expect(Math.log(ratio)).toBeLessThan(expected * 1.5)
  })
})
