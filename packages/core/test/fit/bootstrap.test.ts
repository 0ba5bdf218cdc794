import { expect, test } from 'vitest'
import { bootstrapLaws, sweepNoise } from '../../src/fit/bootstrap.ts'
import { closedLoopPoint } from '../../src/fit/closed-loop.ts'
import { stepTimeMs } from '../../src/fit/law.ts'
import { fitSweep } from '../../src/fit/pipeline.ts'
import { seededRandom } from '../../src/random.ts'
import { referenceLaw } from './reference-law.ts'

const options = {
  family: null,
  prefill: { prefillMs: { p0: 400, p1: 0, p2: 0 }, prefillSource: 'ttft' },
  tolerance: 1e-9,
} as const
const sweep = {
  outputTokens: 500,
  expertFraction: null,
  points: [1, 5, 25, 50, 100, 150, 200].map((concurrency) => {
    const point = closedLoopPoint(referenceLaw, { concurrency, outputTokens: 500 })
    return {
      ...point,
      concurrency,
      stepMs: point.tpotMs,
      weight: 1 / point.tpotMs ** 2,
      standardErrorFraction: null,
      batchLimit: null,
    }
  }),
}
const drawsOf = (inflation: number, draws = 300) => {
  const fit = fitSweep(sweep, options)
  return bootstrapLaws({
    sweep,
    fit,
    noise: sweepNoise(sweep, fit),
    inflation,
    draws,
    random: seededRandom(11),
    options,
  })
}
const deviation = (values: readonly number[]) => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
}

test('bootstrap: exact data still leave the uncertainty of the prior', () => {
  const fit = fitSweep(sweep, options)
  const { tpot } = sweepNoise(sweep, fit)
  expect(tpot.sigma).toBeCloseTo(0.02 * Math.sqrt(2 / tpot.degrees), 6)
})

test('bootstrap: draws surround the law, and inflation widens them in proportion', () => {
  const at50 = (inflation: number) => drawsOf(inflation).map((law) => stepTimeMs(law, 50))
  const plain = at50(1)
  const truth = stepTimeMs(referenceLaw, 50)
  const mean = plain.reduce((sum, value) => sum + value, 0) / plain.length
  expect(Math.abs(mean - truth)).toBeLessThan((4 * deviation(plain)) / Math.sqrt(300))
  expect(deviation(at50(3)) / deviation(plain)).toBeGreaterThan(2)
  expect(deviation(at50(3)) / deviation(plain)).toBeLessThan(4)
})

test('bootstrap: saturation is drawn too', () => {
  const batches = drawsOf(1, 100).map((law) => law.saturationBatch ?? 0)
  expect(deviation(batches)).toBeGreaterThan(0)
  for (const batch of batches) expect(Math.abs(batch / 85.4352 - 1)).toBeLessThan(0.1)
})
