// How long does a table take? The whole answer (gates, fit, leave-one-out, replicates, batch) of one table with 1,000
// replicates, and how the time grows with the replicates and with the levels. Prints the fastest of some runs (other
// work on the machine only ever adds time), ratios taken in this one run, and growth exponents: 1 is linear.
import { recommend } from '@loadcurve/core/capacity/recommend'
import { closedLoopPoint } from '@loadcurve/core/fit/closed-loop'
import { seededRandom, standardNormal } from '@loadcurve/core/random'

const OUTPUT_TOKENS = 500
const law = {
  form: 'linear',
  baseMs: 17.66,
  slopeMs: 0.879,
  shapeMs: 0,
  expertFraction: null,
  knots: [],
  saturationBatch: 85.4,
  ttftBaseMs: 447,
  ttftSlopeMs: 8.8,
  prefillMs: { p0: 400, p1: 0, p2: 0 },
  prefillSource: 'ttft',
}

// A sweep of the law with 1 % noise, levels spread over its whole range.
function table(levels, { measuredThroughput }) {
  const random = seededRandom(1, 'benchmarks/fit')
  return Array.from({ length: levels }, (_, index) => {
    const concurrency = Math.round(250 ** (index / (levels - 1)) + index)
    const exact = closedLoopPoint(law, { concurrency, outputTokens: OUTPUT_TOKENS })
    const tpotMs = exact.tpotMs * Math.exp(0.01 * standardNormal(random))
    const ttftMs = exact.saturated
      ? ((OUTPUT_TOKENS - 1) * tpotMs * (concurrency - exact.batch)) / exact.batch
      : exact.ttftMs * Math.exp(0.02 * standardNormal(random))
    const none = { mean: null, p50: null, p90: null, p95: null, p99: null }
    const perS = (1000 * concurrency) / (ttftMs + (OUTPUT_TOKENS - 1) * tpotMs)
    return {
      label: `${concurrency} clients`,
      kind: 'closed-loop',
      concurrency,
      ratePerS: null,
      achievedConcurrency: null,
      requestsPerS: measuredThroughput ? perS : null,
      outputTokensPerS: null,
      inputTokens: 5000,
      outputTokens: OUTPUT_TOKENS,
      requests: null,
      okFraction: null,
      thinkTimeS: 0,
      ttftMs: { ...none, mean: ttftMs },
      tpotMs: { ...none, mean: tpotMs },
      gapMs: none,
      e2eMs: none,
      batchLimit: null,
      server: null,
      errors: null,
      excluded: null,
    }
  })
}

function fastestMs(levels, draws) {
  const input = {
    levels,
    inputTokens: null,
    outputTokens: null,
    experts: null,
    probes: [],
    seed: 1,
    draws,
    slo: [{ metric: 'tpot', percentile: 'mean', maxMs: 40 }],
    hardware: null,
  }
  let fastest = Number.POSITIVE_INFINITY
  for (let run = 0; run < 5; run++) {
    const startedAtMs = performance.now()
    const answer = recommend(input)
    fastest = Math.min(fastest, performance.now() - startedAtMs)
    if (answer.verdict !== 'recommended') throw new Error(`expected a recommendation, got ${answer.reasons}`)
  }
  return fastest
}

const exponent = (small, large) => Math.log(large.ms / small.ms) / Math.log(large.size / small.size)
const joint = { measuredThroughput: true }
const eight = table(8, joint)
fastestMs(eight, 100)

const whole = fastestMs(eight, 1000)
console.log(`eight levels, 1,000 replicates, joint model: ${whole.toFixed(0)} ms`)
const parts = fastestMs(table(8, { measuredThroughput: false }), 1000)
console.log(`the same without measured throughput (no joint model): ${(parts / whole).toFixed(2)} of that`)

const byDraws = [250, 1000, 4000].map((size) => ({ size, ms: fastestMs(eight, size) }))
console.log(
  `growth with the replicates, 250 to 4,000: exponent ${exponent(byDraws[0], byDraws[2]).toFixed(2)}`,
)

const byLevels = [8, 16, 32].map((size) => ({ size, ms: fastestMs(table(size, joint), 250) }))
console.log(
  `growth with the levels, 8 to 32: exponent ${exponent(byLevels[0], byLevels[2]).toFixed(2)} (each level is left out once: 2 is expected)`,
)
