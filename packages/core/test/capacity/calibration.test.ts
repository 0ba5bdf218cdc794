import { calibrate, closedLoopReplay, stallOf, workSigmaOf } from '@loadcurve/core/capacity/calibration'
import type { MeasuredPoint } from '@loadcurve/core/capacity/measured-point'
import { meanOf, percentileOf } from '@loadcurve/core/capacity/simulate/latencies'
import { describe, expect, test } from 'vitest'
import { column, engineOf } from './law-fixture.ts'
import { poissonTraffic, SILENT } from './traffic-fixture.ts'

const engine = engineOf()
const traffic = poissonTraffic()

/** What a server that is exactly the engine, and noisy, would have measured. */
function pointsOf(noise: typeof SILENT, slower = 1): MeasuredPoint[] {
  return [1, 2, 4, 8, 16, 32].map((concurrency) => {
    const twin = closedLoopReplay(engine, traffic, { clients: concurrency, noise, seed: 77 })
    const columnOf = (values: Float64Array) =>
      column({
        mean: (meanOf(values) ?? 0) * slower,
        p50: (percentileOf(values, 50) ?? 0) * slower,
        p95: (percentileOf(values, 95) ?? 0) * slower,
      })
    return {
      concurrency,
      decodeBatch: twin.decodeBatch,
      requestsPerS: twin.requestsPerS / slower,
      ttftMs: columnOf(twin.latencies.ttft),
      tpotMs: columnOf(twin.latencies.tpot),
    }
  })
}

describe('calibration', () => {
  test('the noise of a server is found again', () => {
    const noise = { ttftSigma: 0.15, tpotSigma: 0.05 }
    const seen = calibrate(engine, traffic, { points: pointsOf(noise), seed: 1 })
    // Sampling error of ln(p95 / p50) over 1,200 requests is 0.06 sigma or so; the median over six levels is better.
    expect(Math.abs(seen.noise.tpotSigma / 0.05 - 1)).toBeLessThan(0.15)
    expect(Math.abs(seen.noise.ttftSigma / 0.15 - 1)).toBeLessThan(0.25)
    expect(seen.errors.tpot.p50?.above).toBeLessThan(0.02)
    expect(seen.errors.requestsPerS).toBeLessThan(0.02)
    expect(seen.spreadKnown).toBe(true)
  })

  test('a server a tenth slower than its law shows a tenth of error', () => {
    const { errors } = calibrate(engine, traffic, { points: pointsOf(SILENT, 1.1), seed: 1 })
    expect(errors.tpot.p50?.above).toBeCloseTo(Math.log(1.1), 2)
    expect(errors.requestsPerS).toBeCloseTo(Math.log(1.1), 2)
  })

  test('means alone tell no spread, and no levels tell nothing', () => {
    const means = pointsOf(SILENT).map((point) => ({
      ...point,
      ttftMs: column({ mean: point.ttftMs.mean }),
      tpotMs: column({ mean: point.tpotMs.mean }),
    }))
    const seen = calibrate(engine, traffic, { points: means, seed: 1 })
    expect(seen.noise).toEqual({ ttftSigma: 0, tpotSigma: 0, stall: null })
    expect(seen.spreadKnown).toBe(false)
    expect(seen.errors.tpot.p95).toBeNull()
    expect(seen.errors.tpot.p50?.above).toBeLessThan(0.02)
    expect(calibrate(engine, traffic, { points: [], seed: 1 }).errors.requestsPerS).toBeNull()
  })

  test('stalls: the share of time and the length, from the TPOT of one client alone', () => {
    // 10 ms a token; 30 % of the answers of 201 tokens are stopped once for 600 ms: 13 ms a token.
    const tpotMs = column({ mean: 10.9, p50: 10, p95: 13 })
    const lone = { concurrency: 1, decodeBatch: 1, requestsPerS: 1, ttftMs: column(), tpotMs }
    const stall = stallOf([lone], traffic)
    expect(stall?.fraction).toBeCloseTo(0.9 / 10.9, 12)
    expect(stall?.lengthMs).toBeCloseTo(600, 9)
    expect(stallOf([{ ...lone, tpotMs: column({ mean: 10.1, p50: 10, p95: 11 }) }], traffic)).toBeNull()
    expect(stallOf([{ ...lone, concurrency: 2 }], traffic)).toBeNull()
  })

  test('the spread of a lone client’s TTFT is the spread of its prefill', () => {
    const lone = { concurrency: 1, decodeBatch: 1, requestsPerS: 1, tpotMs: column() }
    const ttftMs = column({ p50: 100, p95: 100 * Math.exp(1.6449 * 0.2) })
    expect(workSigmaOf([{ ...lone, ttftMs }])).toBeCloseTo(0.2, 9)
    expect(workSigmaOf([{ ...lone, concurrency: 2, ttftMs }])).toBe(0)
  })
})
