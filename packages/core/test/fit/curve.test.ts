import { expect, test } from 'vitest'
import { closedLoopPoint } from '../../src/fit/closed-loop.ts'
import { type CurveInput, fitCurve } from '../../src/fit/curve.ts'
import { closedLoopLevels, fixtureRows, latency, levelWith, mainOracle } from '../measured.ts'
import { referenceLaw } from './reference-law.ts'

const nothing: CurveInput = {
  levels: [],
  inputTokens: null,
  outputTokens: null,
  experts: null,
  probes: [],
  seed: 1,
  draws: 20,
}

test('curve: the main oracle within 1.5 % at every level and leave-one-out within 1.5 and 1.2 %', () => {
  const curve = fitCurve({ ...nothing, levels: mainOracle() })
  expect(curve.refusals).toEqual([])
  expect(curve.joint).toBe(true)
  curve.levels.forEach(({ reading, prediction }, index) => {
    const off = (value: number | null | undefined, measured: number | null) =>
      Math.abs((value ?? 0) / (measured ?? 1) - 1)
    expect(off(prediction?.tpotMs, reading.tpotMs)).toBeLessThan(0.015)
    expect(off(prediction?.requestsPerS, reading.requestsPerS)).toBeLessThan(0.015)
    if (index === 0 || index === curve.levels.length - 1) return
    expect(off(prediction?.looTpotMs, reading.tpotMs)).toBeLessThan(0.012)
    expect(off(prediction?.looRequestsPerS, reading.requestsPerS)).toBeLessThan(0.015)
  })
  expect(curve.fitted?.draws).toHaveLength(20)
  expect(curve.caveats).toContain('prefill-from-ttft')
})

test('curve: the same seed gives the same draws, another seed others, the order of the levels nothing', () => {
  const first = fitCurve({ ...nothing, levels: mainOracle() })
  expect(fitCurve({ ...nothing, levels: mainOracle().reverse() }).fitted?.draws).toEqual(first.fitted?.draws)
  expect(fitCurve({ ...nothing, levels: mainOracle(), seed: 2 }).fitted?.draws).not.toEqual(
    first.fitted?.draws,
  )
})

test('curve: one bad level is excluded and named, the rest is fitted', () => {
  const levels = mainOracle().map((level) =>
    level.concurrency === 25 ? { ...level, outputTokensPerS: 400, tpotMs: latency({ mean: 30 }) } : level,
  )
  const curve = fitCurve({ ...nothing, levels })
  expect(curve.exclusions).toEqual(['concurrency-not-reached'])
  expect(
    curve.levels.filter((level) => level.excluded !== null).map((level) => level.reading.level.concurrency),
  ).toEqual([25])
  expect(curve.fitted?.law.slopeMs).toBeCloseTo(0.88, 1)
})

test('curve: the negative tables are refused with their codes', () => {
  const refusalsOf = (name: string, outputTokens: number) =>
    fitCurve({ ...nothing, outputTokens, levels: closedLoopLevels(name) })
  const few = refusalsOf('vultr_nemotron_super49b_fp8_tp1_b200', 512)
  expect(few.refusals).toEqual(['too-few-levels', 'concurrency-not-reached'])
  const some = refusalsOf('vultr_nemotron_nano30b_fp8_tp2_b200', 512)
  expect(some.exclusions).toEqual(['concurrency-not-reached'])
  expect(some.levels.filter((level) => level.excluded !== null).length).toBeGreaterThanOrEqual(2)
  expect(refusalsOf('aic_qwen3_32b_gb200_dirty', 500).refusals).toEqual(['dirty-sweep'])
  const rates = fixtureRows('openloop_qwen35_4b_rtx5090').map((row) =>
    levelWith({
      kind: 'open-loop',
      ratePerS: row['qps'] ?? null,
      requests: row['n_requests'] ?? null,
      outputTokensPerS: row['vllm_out_tok_s'] ?? null,
      tpotMs: latency({ mean: row['vllm_tpot_ms'] ?? null }),
    }),
  )
  const samples = fitCurve({ ...nothing, outputTokens: 128, levels: rates })
  expect(samples.refusals).toContain('too-few-levels')
  expect(samples.refusals).toContain('too-few-samples')
})

test('curve: an arrival rate that was not served is excluded, the others are fitted', () => {
  const levels = fixtureRows('openloop_qwen3_4b_rtx5090').map((row) =>
    levelWith({
      kind: 'open-loop',
      ratePerS: row['qps'] ?? null,
      outputTokensPerS: row['vllm_out_tok_s'] ?? null,
      tpotMs: latency({ p50: row['vllm_tpot_p50_ms'] ?? null }),
    }),
  )
  const curve = fitCurve({ ...nothing, outputTokens: 128, levels })
  expect(curve.levels.map((level) => level.excluded)).toEqual([
    null,
    null,
    null,
    null,
    null,
    null,
    'no-steady-state',
  ])
  expect(curve.fitted?.law.baseMs).toBeCloseTo(6.357, 3)
  expect(curve.caveats).toContain('typical-is-p50')
})

test('curve: three levels are too few, and no levels too', () => {
  expect(fitCurve({ ...nothing, levels: mainOracle().slice(0, 3) }).refusals).toEqual(['too-few-levels'])
  expect(fitCurve(nothing).refusals).toEqual(['too-few-levels'])
})

test('curve: more than a hundred distinct levels are requests, not levels', () => {
  const many = Array.from({ length: 101 }, (_, index) => ({
    ...mainOracle()[0],
    concurrency: 1 + index / 100,
    outputTokensPerS: null,
  }))
  const levels = many.map((level) => levelWith(level))
  expect(fitCurve({ ...nothing, levels }).refusals).toEqual(['too-many-levels'])
})

test('curve: without an output length nothing can be said about batches', () => {
  const levels = mainOracle().map((level) => ({ ...level, outputTokens: null }))
  expect(fitCurve({ ...nothing, levels }).fitted).toBeNull()
})

test('curve: arrival rates beside a closed-loop sweep are there to verify it, not to fit it', () => {
  const rate = levelWith({ kind: 'open-loop', ratePerS: 1, tpotMs: latency({ mean: 1 }), outputTokens: 500 })
  const curve = fitCurve({ ...nothing, levels: [...mainOracle(), rate] })
  expect(curve.levels).toHaveLength(8)
})

test('curve: foreign traffic on any level refuses the whole run', () => {
  const server = { running: 90, waiting: 50, kvUsageFraction: 0.5, preemptions: 0, prefixCacheHitFraction: 0 }
  const levels = mainOracle().map((level) => (level.concurrency === 100 ? { ...level, server } : level))
  expect(fitCurve({ ...nothing, levels }).refusals).toEqual(['foreign-traffic'])
})

test('curve: a cache-hit rate that drifts along the sweep refuses it, one odd level is excluded', () => {
  const withHits = (hits: (index: number) => number) =>
    mainOracle().map((level, index) => ({
      ...level,
      server: {
        running: null,
        waiting: null,
        kvUsageFraction: null,
        preemptions: null,
        prefixCacheHitFraction: hits(index),
      },
    }))
  expect(fitCurve({ ...nothing, levels: withHits((index) => index / 8) }).refusals).toEqual([
    'cache-hit-rate-differs',
  ])
  const odd = fitCurve({ ...nothing, levels: withHits((index) => (index === 2 ? 0.5 : 0)) })
  expect(odd.refusals).toEqual([])
  expect(odd.exclusions).toEqual(['cache-hit-rate-differs'])
})

test('curve: probes replace the prefill that TTFT suggests', () => {
  const probes = [
    { inputTokens: 256, ttftMs: 20 },
    { inputTokens: 2048, ttftMs: 100 },
    { inputTokens: 8192, ttftMs: 600 },
  ]
  const curve = fitCurve({ ...nothing, levels: mainOracle(), probes })
  expect(curve.fitted?.law.prefillSource).toBe('probes')
  expect(curve.caveats).not.toContain('prefill-from-ttft')
})

test('curve: a plan that steps the batch limit gets the step time of every limit, and no saturation of the server', () => {
  // The law of the main oracle behind limits of 8, 16, 32 and 64, each with half as many clients again waiting.
  const levels = [
    ...[1, 4].map((concurrency) => ({ concurrency, batchLimit: 8 })),
    ...[8, 16, 32, 64].map((limit) => ({ concurrency: 1.5 * limit, batchLimit: limit })),
  ].map(({ concurrency, batchLimit }) => {
    const law = { ...referenceLaw, saturationBatch: 0.97 * batchLimit }
    const point = closedLoopPoint(law, { concurrency, outputTokens: 500 })
    return levelWith({
      concurrency,
      batchLimit,
      outputTokens: 500,
      requestsPerS: point.requestsPerS,
      ttftMs: latency({ mean: point.ttftMs }),
      tpotMs: latency({ mean: point.tpotMs }),
    })
  })
  const curve = fitCurve({ ...nothing, levels })
  expect(curve.refusals).toEqual([])
  expect(curve.fitted?.law.saturationBatch).toBeNull()
  expect(curve.fitted?.law.baseMs).toBeCloseTo(17.661, 3)
  expect(curve.fitted?.law.slopeMs).toBeCloseTo(0.879301, 4)
  for (const { reading, prediction } of curve.levels) {
    expect((prediction?.requestsPerS ?? 0) / (reading.requestsPerS ?? 1)).toBeCloseTo(1, 2)
  }
})

test('curve: one level past saturation neither bends the law nor is predicted as if it were not', () => {
  const curve = fitCurve({ ...nothing, levels: mainOracle().slice(0, 5) })
  expect(curve.fitted?.law.saturationBatch).toBeNull()
  expect(curve.fitted?.law.slopeMs).toBeCloseTo(0.88, 1)
  const last = curve.levels.at(-1)
  expect(
    Math.abs((last?.prediction?.requestsPerS ?? 0) / (last?.reading.requestsPerS ?? 1) - 1),
  ).toBeLessThan(0.02)
})
