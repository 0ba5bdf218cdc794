import { expect, test } from 'vitest'
import { bootstrapOpenLoop, fitOpenLoopSweep } from '../../src/fit/open-loop-sweep.ts'
import { openLoopTpotMs } from '../../src/fit/open-loop-tpot.ts'
import { seededRandom } from '../../src/random.ts'

const prefill = { prefillMs: { p0: 40, p1: 0, p2: 0 }, prefillSource: 'ttft' } as const
const truth = { baseMs: 6, slopeMs: 0.4 }
const points = [1, 2, 4, 8, 12, 16].map((ratePerS) => {
  const stepMs = openLoopTpotMs(truth, { ratePerS, outputTokens: 101 })
  const batch = (ratePerS * 100 * stepMs) / 1000
  return {
    ratePerS,
    stepMs,
    batch,
    concurrency: batch,
    weight: 1 / stepMs ** 2,
    ttftMs: 50 + 2 * batch,
    requestsPerS: ratePerS,
    standardErrorFraction: null,
    batchLimit: null,
  }
})

test('open-loop sweep: exact values give the law back, and each level is predicted exactly', () => {
  const fit = fitOpenLoopSweep({ points, outputTokens: 101, prefill })
  expect(fit.law.baseMs).toBeCloseTo(6, 6)
  expect(fit.law.slopeMs).toBeCloseTo(0.4, 6)
  expect(fit.law.ttftBaseMs).toBeCloseTo(50, 6)
  expect(fit.looErrorFraction).toBeLessThan(1e-6)
})

test('open-loop sweep: replicates scatter around the law by what its noise says', () => {
  const fit = fitOpenLoopSweep({ points, outputTokens: 101, prefill })
  const laws = bootstrapOpenLoop({
    fit,
    points,
    outputTokens: 101,
    prefill,
    inflation: 1,
    draws: 400,
    random: seededRandom(5),
  })
  const bases = laws.map((law) => law.baseMs)
  const mean = bases.reduce((sum, base) => sum + base, 0) / bases.length
  const deviation = Math.sqrt(bases.reduce((sum, base) => sum + (base - mean) ** 2, 0) / bases.length)
  // Exact values leave only the prior: sigma = 0.02·√(2/6). Six levels know the base better than one would, whose
  // disturbance is 1.25 sigma, wider by √(6/4) as sigma itself is drawn from six degrees of freedom.
  expect(Math.abs(mean / 6 - 1)).toBeLessThan((4 * deviation) / Math.sqrt(400) / 6 + 1e-3)
  expect(deviation / 6).toBeGreaterThan(fit.noise.sigma / Math.sqrt(6))
  expect(deviation / 6).toBeLessThan(1.25 * Math.sqrt(6 / 4) * fit.noise.sigma)
})
