import { expect, test } from 'vitest'
import {
  type BatchRange,
  batchInterval,
  bestBatch,
  largestBatch,
  onsetBatch,
  peakBatch,
} from '../../src/capacity/batch.ts'
import { stepTimeMs } from '../../src/fit/law.ts'
import { referenceLaw } from '../fit/reference-law.ts'

const unsaturated = { ...referenceLaw, saturationBatch: null }
const range: BatchRange = { measured: 80, extrapolated: 100, kv: null }
const tpot = (maxMs: number) => ({ code: 'slo:tpot:mean', maxMs, curve: referenceLaw, draws: [referenceLaw] })

test('batch: the largest whole batch under a limit, against a walk over all of them', () => {
  for (const maxMs of [18, 18.55, 30, 40, 60, 92]) {
    const walk = Array.from({ length: 101 }, (_, batch) => batch)
      .filter((batch) => batch > 0 && stepTimeMs(referenceLaw, batch) <= maxMs)
      .at(-1)
    expect(largestBatch(referenceLaw, { maxMs, batchMax: 100 })).toBe(walk ?? 0)
  }
  expect(largestBatch(referenceLaw, { maxMs: 1e4, batchMax: 100 })).toBeNull()
})

test('batch: the onset is the smallest batch with 98 % of the throughput, against a walk', () => {
  for (const cap of [1, 2, 7, 25, 85, 400]) {
    const throughput = (batch: number) => batch / stepTimeMs(referenceLaw, batch)
    const walk = Array.from({ length: cap }, (_, index) => index + 1).find(
      (batch) => throughput(batch) >= 0.98 * throughput(cap),
    )
    expect(onsetBatch(referenceLaw, cap)).toBe(walk)
  }
})

test('batch: 40 ms allow 25 sequences, and 24 give 98 % of their throughput', () => {
  // (40 − 17.661) / 0.879301 = 25.4; X(24)/X(25) = (24/38.764)/(25/39.644) = 0.9818.
  expect(bestBatch(unsaturated, { range, steps: [tpot(40)], draw: null })).toEqual({
    batch: 24,
    limitedBy: 'slo:tpot:mean',
  })
})

test('batch: the tightest limit names itself', () => {
  const kv = bestBatch(unsaturated, { range: { ...range, kv: 10 }, steps: [tpot(40)], draw: null })
  expect(kv.limitedBy).toBe('kv-memory')
  const loose = bestBatch(unsaturated, { range, steps: [tpot(1e4)], draw: null })
  expect(loose.limitedBy).toBe('measured-range')
  expect(loose.batch).toBe(onsetBatch(unsaturated, 80))
  const saturated = bestBatch(referenceLaw, { range, steps: [], draw: null })
  expect(saturated).toEqual({ batch: onsetBatch(referenceLaw, 85), limitedBy: 'throughput-onset' })
})

test('batch: a promise below zero load leaves no batch', () => {
  expect(bestBatch(unsaturated, { range, steps: [tpot(18)], draw: null }).batch).toBe(0)
})

test('batch: the interval is the 5–95 % range of the best batches of the draws', () => {
  // Bases 0 … 100 per mille around the truth give best batches in order; their 5 % and 95 % ones by brute force.
  const draws = Array.from({ length: 101 }, (_, index) => ({ ...unsaturated, baseMs: 16 + index * 0.04 }))
  const limit = { ...tpot(40), draws }
  const all = draws
    .map((law, draw) => bestBatch(law, { range, steps: [limit], draw }).batch)
    .sort((a, b) => a - b)
  expect(batchInterval(draws, { range, steps: [limit] })).toEqual([all[5], all[95]])
})

test('batch: where throughput falls back, the peak decides and not the end of the data', () => {
  const law = {
    ...unsaturated,
    form: 'isotonic',
    knots: [
      { batch: 1, stepMs: 10 },
      { batch: 30, stepMs: 20 },
      { batch: 80, stepMs: 100 },
    ],
  } as const
  // 30 sequences give 1.5 per ms, 80 give 0.8.
  expect(peakBatch(law, 80)).toBe(30)
  expect(peakBatch(law, 20)).toBe(20)
  const choice = bestBatch(law, { range: { ...range, extrapolated: 80 }, steps: [], draw: null })
  const walk = Array.from({ length: 80 }, (_, index) => index + 1)
  const most = Math.max(...walk.map((batch) => batch / stepTimeMs(law, batch)))
  const first = walk.find((batch) => batch / stepTimeMs(law, batch) >= 0.98 * most)
  expect(choice).toEqual({ batch: first, limitedBy: 'throughput-onset' })
})
