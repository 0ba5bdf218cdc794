import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type RecommendInput, recommend } from '../../src/capacity/recommend.ts'
import type { SloTarget } from '../../src/capacity/recommendation.ts'
import { seededRandom, standardNormal } from '../../src/random.ts'
import { closedLoopLevels, latency, levelWith, mainOracle } from '../measured.ts'

const nothing: RecommendInput = {
  levels: [],
  inputTokens: null,
  outputTokens: null,
  experts: null,
  probes: [],
  seed: 1,
  draws: 200,
  slo: [],
  hardware: null,
}
const main = (slo: SloTarget[], change: Partial<RecommendInput> = {}) =>
  recommend({ ...nothing, levels: mainOracle(), slo, ...change })
const tpotMean = (maxMs: number): SloTarget => ({ metric: 'tpot', percentile: 'mean', maxMs })

test('recommend: the main oracle at 40 ms mean TPOT runs 24 sequences, and cautiously one fewer', () => {
  const answer = main([tpotMean(40)])
  expect(answer.verdict).toBe('recommended')
  // By hand (40 − 17.661) / 0.8793 = 25.4 sequences, and 24 give 98 % of their throughput.
  const [low = 0, high = 0] = answer.batch.interval ?? []
  expect(low).toBeGreaterThanOrEqual(23)
  expect(low).toBeLessThanOrEqual(24)
  expect(high).toBeGreaterThanOrEqual(24)
  expect(high).toBeLessThanOrEqual(25)
  expect(answer.batch.recommended).toBe(low)
  expect(answer.batch.limitedBy).toBe('slo:tpot:mean')
  expect(answer.batch.saturation?.decodeBatch).toBeCloseTo(85.4, 0)
  expect(answer.operatingPoint?.tpotMs.mean).toBeLessThan(40)
  expect(answer.littlesLaw).toHaveLength(8)
})

test('recommend: without a promise throughput decides', () => {
  const answer = main([])
  expect(answer.batch.limitedBy).toBe('throughput-onset')
  // 98 % of the throughput at 85: by hand 0.98·85 / (1 + 0.02·0.8793·85/17.661) = 76.8, so 77; cautious: a bit less.
  expect(answer.batch.interval?.[0]).toBeLessThanOrEqual(77)
  expect(answer.batch.interval?.[1]).toBeGreaterThanOrEqual(77)
})

test('recommend: a percentile is refused on a table of means', () => {
  const answer = main([{ metric: 'tpot', percentile: 95, maxMs: 40 }])
  expect(answer.verdict).toBe('inconclusive')
  expect(answer.reasons).toEqual(['percentile-not-in-table'])
  expect(answer.batch.recommended).toBeNull()
})

test('recommend: a promise below zero load is infeasible, TPOT or TTFT', () => {
  expect(main([tpotMean(15)])).toMatchObject({ verdict: 'infeasible', reasons: ['slo-below-zero-load'] })
  expect(main([{ metric: 'ttft', percentile: 'mean', maxMs: 200 }])).toMatchObject({
    verdict: 'infeasible',
    reasons: ['slo-below-zero-load'],
  })
})

test('recommend: a TTFT promise moves the operating point, not the batch', () => {
  const both = main([tpotMean(60), { metric: 'ttft', percentile: 'mean', maxMs: 700 }])
  const one = main([tpotMean(60)])
  expect(both.batch.recommended).toBe(one.batch.recommended)
  expect(both.operatingPoint?.ttftMs.mean).toBeLessThanOrEqual(700)
  expect(both.operatingPoint?.concurrency).toBeLessThan(one.operatingPoint?.concurrency ?? 0)
})

test('recommend: a real engine with eight slots, p95 TPOT under 30 ms', () => {
  const answer = recommend({
    ...nothing,
    levels: closedLoopLevels('llamacpp_small_closed'),
    slo: [{ metric: 'tpot', percentile: 95, maxMs: 30 }],
  })
  expect(answer.verdict).toBe('recommended')
  // Measured p95: 26.65 ms at b = 4.7, 29.83 at 5.7, 39.85 at 7.6.
  // So five sequences keep the promise, six hardly, eight do not; four is the cautious end.
  const [low = 0, high = 0] = answer.batch.interval ?? []
  expect(answer.batch.recommended).toBe(low)
  expect(low).toBeGreaterThanOrEqual(4)
  expect(low).toBeLessThanOrEqual(5)
  expect(high).toBeGreaterThanOrEqual(5)
  expect(high).toBeLessThanOrEqual(6)
  expect(Math.abs((answer.batch.saturation?.decodeBatch ?? 0) - 7.7)).toBeLessThan(0.2)
})

test('recommend: excluded levels are named beside the answer', () => {
  const levels = mainOracle().map((level) =>
    level.concurrency === 5 ? { ...level, okFraction: 0.9 } : level,
  )
  const answer = main([tpotMean(40)], { levels })
  expect(answer.verdict).toBe('recommended')
  expect(answer.reasons).toEqual(['error-rate'])
  expect(answer.fit?.levels.find((level) => level.concurrency === 5)?.excluded).toBe('error-rate')
})

test('recommend: weights that do not fit are infeasible on any load', () => {
  const hardware = {
    gpu: 'L4',
    gpusPerReplica: 1,
    model: 'Llama-3.3-70B-FP8',
    memoryUtilizationFraction: 0.9,
    kvBytesPerElement: 2,
    kvBlockTokens: 16,
  }
  expect(main([], { hardware })).toMatchObject({ verdict: 'infeasible', reasons: ['weights-do-not-fit'] })
})

test('recommend: a KV limit below the batch that was measured says that it cannot be right', () => {
  const hardware = (kvBytesPerElement: number) => ({
    gpu: 'H100-SXM',
    gpusPerReplica: 2,
    model: 'Llama-3.3-70B-FP8',
    memoryUtilizationFraction: 0.9,
    kvBytesPerElement,
    kvBlockTokens: 16,
  })
  const caveats = (bytes: number) => main([], { inputTokens: 5000, hardware: hardware(bytes) }).caveats
  // 85.4 sequences of 5,250 tokens were seen; 32 GiB of a GPU hold some 40 in 16 bits, and 160 in 4.
  expect(caveats(2)).toContain('kv-memory-below-measured')
  expect(caveats(0.5)).not.toContain('kv-memory-below-measured')
})

test('recommend: no levels is an answer, not an exception', () => {
  expect(recommend(nothing)).toMatchObject({ verdict: 'inconclusive', reasons: ['too-few-levels'] })
})

test('recommend: whatever the levels say, there is an answer, and a recommended batch is a number inside its interval', () => {
  const cell = fc.option(fc.double({ min: 1e-3, max: 1e6, noNaN: true }), { nil: null })
  const anyLevel = fc
    .record({
      openLoop: fc.boolean(),
      load: fc.integer({ min: 1, max: 300 }),
      requestsPerS: cell,
      tokens: fc.constantFrom(null, 1, 2, 128),
      ttft: cell,
      tpot: cell,
      p95: cell,
    })
    .map(({ openLoop, load, requestsPerS, tokens, ttft, tpot, p95 }) =>
      levelWith({
        kind: openLoop ? 'open-loop' : 'closed-loop',
        concurrency: openLoop ? null : load,
        ratePerS: openLoop ? load : null,
        requestsPerS,
        outputTokens: tokens,
        ttftMs: latency({ mean: ttft, p95 }),
        tpotMs: latency({ mean: tpot, p95 }),
      }),
    )
  const promises = fc.constantFrom<SloTarget[]>(
    [],
    [tpotMean(40)],
    [{ metric: 'tpot', percentile: 95, maxMs: 40 }],
  )
  fc.assert(
    fc.property(fc.array(anyLevel, { maxLength: 12 }), promises, (levels, slo) => {
      const { verdict, reasons, batch } = recommend({ ...nothing, draws: 10, levels, slo })
      if (verdict !== 'recommended') return reasons.length > 0 && batch.recommended === null
      const [low, high] = batch.interval ?? [Number.NaN, Number.NaN]
      return (
        Number.isInteger(low) &&
        Number.isInteger(high) &&
        batch.recommended === low &&
        low >= 1 &&
        high >= low
      )
    }),
    { numRuns: 300, seed: 1 },
  )
})

test('recommend: sweeps of any law with any noise give an answer with finite numbers', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.1, max: 100, noNaN: true }),
      fc.double({ min: 0, max: 10, noNaN: true }),
      fc.double({ min: 0, max: 0.5, noNaN: true }),
      fc.integer({ min: 1, max: 1e6 }),
      (base, slope, sigma, seed) => {
        const random = seededRandom(seed)
        const levels = [1, 2, 4, 8, 16, 32, 64].map((concurrency) => {
          const tpotMs = (base + slope * concurrency) * Math.exp(sigma * standardNormal(random))
          const ttftMs = 100 * Math.exp(sigma * standardNormal(random))
          return levelWith({
            concurrency,
            outputTokens: 100,
            requestsPerS: (1000 * concurrency) / (ttftMs + 99 * tpotMs),
            ttftMs: latency({ mean: ttftMs }),
            tpotMs: latency({ mean: tpotMs }),
          })
        })
        const answer = recommend({ ...nothing, draws: 10, levels })
        const point = answer.operatingPoint
        if (answer.verdict !== 'recommended') return answer.reasons.length > 0
        return (
          point !== null && [point.concurrency, point.requestsPerS].every((value) => Number.isFinite(value))
        )
      },
    ),
    { numRuns: 150, seed: 1 },
  )
})

test('recommend: throughput that falls beyond its peak is flagged, and the batch stays at the peak', () => {
  // USL with alpha 0.02, beta 0.0005: the peak is at sqrt(0.98/0.0005) = 44 clients.
  const levels = [1, 2, 4, 8, 16, 32, 48, 64, 96, 128].map((n) => {
    const requestsPerS = (2 * n) / (1 + 0.02 * (n - 1) + 0.0005 * n * (n - 1))
    const tpotMs = (1000 * (n / requestsPerS) - 50) / 99
    return levelWith({
      concurrency: n,
      outputTokens: 100,
      requestsPerS,
      ttftMs: latency({ mean: 50 }),
      tpotMs: latency({ mean: tpotMs }),
    })
  })
  const answer = recommend({ ...nothing, levels })
  expect(answer.verdict).toBe('recommended')
  expect(answer.caveats).toContain('retrograde-throughput')
  expect(answer.fit?.knees['uslPeakConcurrency']).toBeCloseTo(Math.sqrt(0.98 / 0.0005), 1)
  const recommended = answer.batch.recommended ?? 0
  const throughput = recommended / (1 + 0.02 * (recommended - 1) + 0.0005 * recommended * (recommended - 1))
  const peak = 44 / (1 + 0.02 * 43 + 0.0005 * 44 * 43)
  expect(throughput / peak).toBeGreaterThanOrEqual(0.9)
})

test('recommend: a small fall is flagged when level after level goes further down', () => {
  const fall = [1, 1, 1, 1, 1, 0.985, 0.97, 0.955]
  const levels = mainOracle().map((level, index) => ({
    ...level,
    outputTokensPerS: (level.outputTokensPerS ?? 0) * (fall[index] ?? 1),
  }))
  expect(main([], { levels }).caveats).toContain('retrograde-throughput')
})

test('recommend: a plateau whose last level is a few per cent below its best does not fall', () => {
  const noise = [1, 1, 1, 1, 1, 1.02, 1, 0.985]
  const levels = mainOracle().map((level, index) => ({
    ...level,
    outputTokensPerS: (level.outputTokensPerS ?? 0) * (noise[index] ?? 1),
  }))
  const answer = main([], { levels })
  expect(answer.verdict).toBe('recommended')
  expect(answer.caveats).not.toContain('retrograde-throughput')
})
