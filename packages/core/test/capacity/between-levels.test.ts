import { batchUnderPadding, type PaddedQuestion } from '@loadcurve/core/capacity/between-levels'
import type { Padding } from '@loadcurve/core/capacity/padding'
import type { SloLimit } from '@loadcurve/core/capacity/slo-limits'
import { paddedBatch } from '@loadcurve/core/fit/capture-sizes'
import { describe, expect, test } from 'vitest'

const stepMs = (batch: number): number => 10 + 0.25 * batch

function padding(sizes: readonly number[]): Padding {
  const typicalMs = (batch: number): number => stepMs(paddedBatch(sizes, batch))
  return { sizes, typicalMs, promisedMs: [typicalMs] }
}

function limit(maxMs: number): SloLimit {
  const curve = {
    form: 'linear' as const,
    baseMs: 10,
    slopeMs: 0.25,
    shapeMs: 0,
    expertFraction: null,
    knots: [],
  }
  return {
    slo: { metric: 'tpot', percentile: 95, maxMs },
    binds: 'batch',
    code: 'slo:tpot:p95',
    maxMs,
    curve,
    draws: [curve],
  }
}

function asked(batch: number, maxMs: number, paddings: readonly Padding[]): PaddedQuestion {
  const range = { measured: 128, extrapolated: 160, kv: null }
  return { batch, paddings, limits: [limit(maxMs)], range }
}

describe('a batch under padding', () => {
  test('good everywhere: it stays', () => {
    // As 24 it takes 16 ms.
    expect(batchUnderPadding(asked(23, 16, [padding([]), padding([8, 16, 24, 32])]))).toEqual({
      recommended: 23,
      highest: 24,
      doubt: null,
    })
  })

  test('a promise may be exceeded by three per cent, not by more', () => {
    const paddings = [padding([]), padding([32, 40])]
    // As 40 it takes 20 ms.
    expect(batchUnderPadding(asked(36, 19.5, paddings)).doubt).toBeNull()
    expect(batchUnderPadding(asked(36, 19.4, paddings)).doubt?.inWords).toContain(
      'as slowly as 40, in 20.0 ms',
    )
  })

  test('the largest smaller one that is good on every server takes its place', () => {
    const paddings = [padding([]), padding([32, 64]), padding([30, 40])]
    // 33 to 64 run as 64 on the second, 31 to 40 as 40 on the third: 30 is good on all.
    expect(batchUnderPadding(asked(34, 18.6, paddings)).recommended).toBe(30)
  })

  test('not where it would throw away more than a tenth of the throughput', () => {
    const { recommended, doubt } = batchUnderPadding(asked(48, 22, [padding([]), padding([32, 64])]))
    expect(recommended).toBeNull()
    expect(doubt?.inWords).toContain('runs 48 as slowly as 64, in 26.0 ms, promised p95 TPOT <= 22 ms')
    expect(doubt?.inWords).toContain('32 keeps the promises either way')
  })

  test('without a promise it is throughput that padding costs', () => {
    const question = { ...asked(34, 20, [padding([]), padding([32, 64])]), limits: [] }
    // On a server that pads, 34 run as slowly as 64, and 64 would do nearly twice as much.
    expect(batchUnderPadding(question).doubt?.inWords).toMatch(
      /with \d+ % less throughput than its best batch/,
    )
  })

  test('a server that is known to pad is judged by itself', () => {
    expect(batchUnderPadding(asked(48, 22, [padding([32, 64])]))).toEqual({
      recommended: 32,
      highest: 32,
      doubt: null,
    })
    // Its largest size that keeps the promise may lie above what a curve through all of it says.
    expect(batchUnderPadding(asked(48, 27, [padding([32, 64, 128])])).recommended).toBe(64)
  })
})
