/**
 * Tables drawn from laws that are known, to see whether the interval of the recommendation holds the truth.
 *
 * The noise is not the bootstrap's: every level averages 120 requests whose TPOT and TTFT wander (first order, 0.8) with
 * skewed innovations, and the wander grows with the load. The truth is found by walking over all batches.
 */
import { closedLoopPoint } from '@loadcurve/core/fit/closed-loop'
import { type StepLaw, stepTimeMs } from '@loadcurve/core/fit/law'
import type { LatencyColumn, Level } from '@loadcurve/core/fit/level'
import { type Random, seededRandom } from '@loadcurve/core/random'

export interface KnownLaw {
  readonly name: string
  readonly law: StepLaw
  readonly outputTokens: number
  readonly concurrencies: readonly number[]
  readonly experts: { readonly total: number; readonly perToken: number } | null
  /** Limit on mean TPOT, ms; null: throughput alone decides. */
  readonly maxMs: number | null
}

const plain: StepLaw = {
  form: 'linear',
  baseMs: 6,
  slopeMs: 0.06,
  shapeMs: 0,
  expertFraction: null,
  knots: [],
  saturationBatch: null,
  ttftBaseMs: 30,
  ttftSlopeMs: 0.8,
  prefillMs: { p0: 30, p1: 0, p2: 0 },
  prefillSource: 'ttft',
}
const doubling = [1, 2, 4, 8, 16, 32, 64, 128]

export const KNOWN_LAWS: readonly KnownLaw[] = [
  { name: 'dense', law: plain, outputTokens: 256, concurrencies: doubling, experts: null, maxMs: 11 },
  {
    name: 'saturating at 85',
    law: {
      ...plain,
      baseMs: 17.66,
      slopeMs: 0.879,
      saturationBatch: 85.4,
      ttftBaseMs: 447,
      ttftSlopeMs: 8.8,
    },
    outputTokens: 500,
    concurrencies: [1, 5, 25, 50, 100, 150, 200, 250],
    experts: null,
    maxMs: 70,
  },
  {
    name: 'saturating, throughput decides',
    law: { ...plain, baseMs: 9, slopeMs: 0.5, saturationBatch: 31, ttftBaseMs: 80, ttftSlopeMs: 4 },
    outputTokens: 128,
    concurrencies: [1, 2, 4, 8, 16, 32, 48, 64],
    experts: null,
    maxMs: null,
  },
  {
    name: 'experts',
    law: { ...plain, form: 'moe', baseMs: 5, slopeMs: 0.1, shapeMs: 6, expertFraction: 8 / 256 },
    outputTokens: 256,
    concurrencies: doubling,
    experts: { total: 256, perToken: 8 },
    maxMs: 16,
  },
  {
    name: 'square root',
    law: { ...plain, form: 'sqrt', baseMs: 3, slopeMs: 0.07, shapeMs: 1 },
    outputTokens: 256,
    concurrencies: doubling,
    experts: null,
    maxMs: 16,
  },
]

const REQUESTS = 120
const WANDER = 0.8
/** Relative standard deviation of one request's TPOT at half the load. */
const REQUEST_SIGMA = 0.06

/** A table drawn from a law. */
export function drawTable(known: KnownLaw, seed: number): Level[] {
  const random = seededRandom(seed, `known-laws/${known.name}`)
  const concurrencyMax = Math.max(...known.concurrencies)
  return known.concurrencies.map((concurrency) => {
    const exact = closedLoopPoint(known.law, { concurrency, outputTokens: known.outputTokens })
    const sigma = REQUEST_SIGMA * (0.5 + concurrency / concurrencyMax)
    const tpotMs = exact.tpotMs * (1 + wanderingMean(sigma, random))
    const steps = known.outputTokens - 1
    // A closed loop holds N requests in flight: where clients queue, the queue takes up what decoding does not.
    const ttftMs = exact.saturated
      ? concurrency * ((steps * tpotMs) / exact.batch) - steps * tpotMs
      : exact.ttftMs * (1 + wanderingMean(2 * sigma, random))
    const requestsPerS = (1000 * concurrency) / (ttftMs + steps * tpotMs)
    return level({ concurrency, requestsPerS, ttftMs, tpotMs, outputTokens: known.outputTokens })
  })
}

/** The best batch by the rules on the exact law, found by walking over all of them. */
export function trueBestBatch(known: KnownLaw): number {
  const { law, maxMs } = known
  const top = Math.floor(law.saturationBatch ?? 10_000)
  const allowed = Array.from({ length: top }, (_, index) => index + 1).filter(
    (batch) => maxMs === null || stepTimeMs(law, batch) <= maxMs,
  )
  const cap = Math.max(...allowed)
  const enough = 0.98 * throughput(known, cap)
  return allowed.find((batch) => throughput(known, batch) >= enough) ?? cap
}

/** Requests per ms of a full batch, up to a factor. */
export function throughput({ law }: KnownLaw, batch: number): number {
  return batch / stepTimeMs(law, batch)
}

// Mean of requests that wander: x_i = 0.8·x_(i−1) + e_i with e skewed (exponential, centred), scaled to standard deviation σ.
function wanderingMean(sigma: number, random: Random): number {
  const innovation = Math.sqrt(1 - WANDER ** 2)
  let value = 0
  let sum = 0
  for (let index = -50; index < REQUESTS; index++) {
    value = WANDER * value + innovation * (-Math.log(1 - random()) - 1)
    if (index >= 0) sum += value
  }
  return (sigma * sum) / REQUESTS
}

function level(known: {
  concurrency: number
  requestsPerS: number
  ttftMs: number
  tpotMs: number
  outputTokens: number
}): Level {
  const none: LatencyColumn = { mean: null, p50: null, p90: null, p95: null, p99: null }
  return {
    label: `${known.concurrency} clients`,
    kind: 'closed-loop',
    concurrency: known.concurrency,
    ratePerS: null,
    achievedConcurrency: null,
    requestsPerS: known.requestsPerS,
    outputTokensPerS: known.requestsPerS * known.outputTokens,
    inputTokens: 512,
    outputTokens: known.outputTokens,
    requests: null,
    okFraction: null,
    thinkTimeS: 0,
    ttftMs: { ...none, mean: known.ttftMs },
    tpotMs: { ...none, mean: known.tpotMs },
    gapMs: none,
    e2eMs: none,
    batchLimit: null,
    server: null,
    errors: null,
    excluded: null,
  }
}
