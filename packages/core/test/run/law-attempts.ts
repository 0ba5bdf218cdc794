/** Steps of a run as a server with a known law would answer them, without noise: what the fit must find again. */
import type { LatencyStatistics, StepSummary } from '@loadcurve/core/metrics/step-summary'
import type { StepAttempt } from '@loadcurve/core/run/history'

/** itl(b) = 12 + 0.7 b, 16 slots, TTFT 20 ms, 64 tokens. */
export const LAW = { baseMs: 12, slopeMs: 0.7, slots: 16, ttftMs: 20, outputTokens: 64, inputTokens: 128 }

const statistics = (valueMs: number): LatencyStatistics => ({
  ...{
    n: 400,
    effectiveN: 400,
    mean: valueMs,
    relativeError: 0.002,
    tooFew: [],
    intervals: null,
    quantiles: [],
  },
  ...{ p50: valueMs, p90: valueMs * 1.02, p95: valueMs * 1.03, p99: valueMs * 1.05, max: valueMs * 1.06 },
})

/** Closed loop: below saturation N = b + X*ttft; beyond it the rest waits. */
function point(concurrency: number) {
  const decodeTokens = LAW.outputTokens - 1
  const perS = (batch: number) => (1000 * batch) / (decodeTokens * (LAW.baseMs + LAW.slopeMs * batch))
  let [low, high] = [0, LAW.slots]
  for (let round = 0; round < 60; round++) {
    const middle = (low + high) / 2
    if (middle + (perS(middle) * LAW.ttftMs) / 1000 < concurrency) low = middle
    else high = middle
  }
  const batch = low
  const requestsPerS = perS(batch)
  const tpotMs = LAW.baseMs + LAW.slopeMs * batch
  const ttftMs = (1000 * concurrency) / requestsPerS - decodeTokens * tpotMs
  return { batch, requestsPerS, tpotMs, ttftMs, e2eMs: ttftMs + decodeTokens * tpotMs }
}

export function lawAttempt(
  concurrency: number,
  part: Partial<StepAttempt> & { readonly tokensFactor?: number } = {},
): StepAttempt {
  const { tokensFactor = 1, ...fields } = part
  const { batch, requestsPerS, tpotMs, ttftMs, e2eMs } = point(concurrency)
  const level = { batch: null, concurrency, ratePerS: null }
  const none = { ...statistics(0), n: 0, mean: null, p50: null, p90: null, p95: null, p99: null }
  const summary = {
    level,
    loop: 'closed',
    thinkTimeS: 0,
    requests: { scheduled: 400, ok: 400, failed: 0, unmeasured: 50, sequences: 1 },
    requestsPerS,
    outputTokensPerS: requestsPerS * LAW.outputTokens * tokensFactor,
    inputTokens: { achieved: LAW.inputTokens },
    outputTokens: { achieved: LAW.outputTokens },
    wholeRun: { durationS: 20, requests: 450, outputTokensPerS: requestsPerS * LAW.outputTokens },
    concurrency: {
      nominal: concurrency,
      achieved: concurrency,
      peak: concurrency,
      prefill: 0,
      decodeBatch: batch,
    },
    latency: {
      ttft: statistics(ttftMs),
      ttftScheduled: statistics(ttftMs),
      tpot: statistics(tpotMs),
      gap: statistics(tpotMs),
      e2e: statistics(e2eMs),
      firstVisibleToken: none,
      validJson: none,
    },
    relativeErrors: { requestsPerS: 0.002, outputTokensPerS: 0.002, ttft: 0.002, tpot: 0.002 },
    littlesLaw: { nominal: { ratio: 1, holds: true, code: null } },
    server: null,
    cache: { hitFraction: null, source: null, asked: false },
    slo: [],
    refusals: [],
    caveats: [],
  } as unknown as StepSummary
  return { step: concurrency, attempt: 1, state: 'finished', purpose: 'grid', level, summary, ...fields }
}
