/** A recommendation as `loadcurve fit` gives it, with something in every part; the figures are invented. */
import type {
  FitLevelReport,
  LatencySummary,
  ProfileAnswer,
  Recommendation,
} from '@loadcurve/core/capacity/recommendation'

const none: LatencySummary = { n: null, mean: null, p50: null, p90: null, p95: null, p99: null }

function level(
  concurrency: number,
  [achieved, decodeBatch, ttftMs, tpotMs]: readonly [number, number, number, number],
  rest: Partial<FitLevelReport> = {},
): FitLevelReport {
  const predicted = 12 + 0.5 * decodeBatch
  const requestsPerS = achieved / (ttftMs / 1000 + 0.1 * tpotMs)
  return {
    label: `line ${concurrency + 4}`,
    concurrency,
    achieved,
    decodeBatch,
    tpotMs,
    predictedTpotMs: predicted,
    boundTpotMs: [predicted * 0.97, predicted * 1.03],
    looPredictedTpotMs: predicted * 1.01,
    requestsPerS,
    predictedRequestsPerS: requestsPerS * 1.01,
    looPredictedRequestsPerS: requestsPerS * 0.99,
    outputTokensPerS: requestsPerS * 100,
    ttftMs,
    predictedTtftMs: ttftMs,
    excluded: null,
    ...rest,
  }
}

const profile = (rest: Partial<ProfileAnswer>): ProfileAnswer => ({
  slo: [],
  verdict: 'inconclusive',
  reasons: ['percentile-not-in-table'],
  batch: null,
  requestsPerS: null,
  outputTokensPerS: null,
  ...rest,
})

export const recommended: Recommendation = {
  schemaVersion: 1,
  verdict: 'recommended',
  reasons: [],
  batch: {
    recommended: 41,
    interval: [38, 43],
    operating: 22.4,
    admissionLimit: 48,
    levelWanted: null,
    limitedBy: 'slo:tpot:mean',
    saturation: { decodeBatch: 60.3, bottleneck: 'unknown', evidence: 'client-only' },
  },
  operatingPoint: {
    concurrency: 42.3,
    requestsPerS: 12.62,
    outputTokensPerS: 1262,
    outputTokensPerSPerGpu: 631,
    goodputPerS: null,
    ttftMs: { ...none, mean: 104.2 },
    tpotMs: { ...none, mean: 32.5 },
    source: 'fitted',
  },
  fit: {
    model: 'linear',
    params: { baseMs: 12.01, slopeMs: 0.4987, shapeMs: 0, saturationBatch: 60.3, uslBeta: null },
    looErrorFraction: 0.0113,
    converged: true,
    knees: { throughputOverLatency: 24.08 },
    levels: [
      level(1, [1, 0.96, 51, 12.6]),
      level(8, [8, 7.8, 63, 15.8]),
      level(32, [32, 31.4, 88, 27.9]),
      level(64, [64, 60.3, 230, 42.1]),
      level(512, [71.3, 60.1, 231, 42.4], {
        excluded: 'concurrency-not-reached',
        predictedTpotMs: null,
        boundTpotMs: null,
        predictedRequestsPerS: null,
      }),
    ],
  },
  littlesLaw: [
    { concurrency: 1, ratio: 0.998, holds: true, decodeBatch: 0.96 },
    { concurrency: 8, ratio: 1.002, holds: true, decodeBatch: 7.8 },
    { concurrency: 32, ratio: 0.995, holds: true, decodeBatch: 31.4 },
    { concurrency: 64, ratio: 1.001, holds: true, decodeBatch: 60.3 },
    { concurrency: 512, ratio: 0.139, holds: false, decodeBatch: 60.1 },
  ],
  profiles: {
    interactive: profile({
      slo: [
        { metric: 'ttft', percentile: 95, maxMs: 800 },
        { metric: 'tpot', percentile: 95, maxMs: 40 },
      ],
    }),
    batch: profile({
      verdict: 'recommended',
      reasons: [],
      batch: 57,
      requestsPerS: 13.9,
      outputTokensPerS: 1390,
    }),
    agentic: null,
    api: null,
  },
  openLoop: {
    maxRequestsPerS: 9.81,
    interval: [9.2, 10.1],
    estimateRequestsPerS: 9.6,
    utilisation: 0.705,
    predicted: null,
    verified: null,
    bindingOrder: [{ slo: 'slo:tpot:mean', requestsPerS: 9.81 }],
    bindingOrderInWords: 'mean TPOT first, at 9.81 requests/s',
    at: [
      {
        requestsPerS: 5,
        utilisation: 0.36,
        decodeBatch: 8.1,
        ttftMs: { p50: 62, p50Bound: [57, 66], p95: 118, p95Bound: [109, 128] },
        tpotMs: { p50: 16.2, p50Bound: [15.9, 16.6], p95: 18.9, p95Bound: [18.1, 19.8] },
        refused: null,
      },
      {
        requestsPerS: 20,
        utilisation: 1.44,
        decodeBatch: 60.3,
        ttftMs: null,
        tpotMs: null,
        refused: 'beyond-measured-range',
      },
    ],
  },
  fleet: {
    replicas: 5,
    gpus: 16,
    nodes: 2,
    spares: 1,
    interval: [5, 6],
    router: { independentQueues: 5, pooledQueue: 4 },
    demand: { peakRequestsPerS: 30, meanRequestsPerS: 12, sizedForRequestsPerS: 39 },
    requestsPerSPerReplica: 9.81,
    priceDate: '2026-05-20',
    costPerHour: 47.2,
    costPerMonth: 34456,
    costPerMillionOutputTokens: { atCapacity: 1.67, atPeak: 4.37, atMean: 10.9 },
    costPerMillionInputTokens: { atCapacity: 0.33, atPeak: null, atMean: null },
    costPerMillionBlendedTokens: { atCapacity: null, atPeak: null, atMean: null },
    costPerSuccessfulRequest: 0.00109,
    breakEven: { requestsPerS: 21.4, apiCostPerHourAtPeak: 66, apiCostPerHourAtMean: 26, cheaper: 'api' },
    jobHours: null,
    classes: null,
  },
  memory: { kvBytesPerToken: 131072, availableGib: 51.38, sequencesWorstCase: 76, sequencesMean: 82 },
  caveats: ['prefill-from-ttft', 'estimate-differs: the instant estimate is 31 % above the simulation'],
}

export const refused: Recommendation = {
  ...recommended,
  verdict: 'inconclusive',
  reasons: ['too-few-levels'],
  batch: {
    recommended: null,
    interval: null,
    operating: null,
    admissionLimit: null,
    levelWanted: null,
    limitedBy: null,
    saturation: null,
  },
  operatingPoint: null,
  fit: null,
  littlesLaw: recommended.littlesLaw.map((row) => ({ ...row, ratio: null, holds: null })),
  profiles: { interactive: null, batch: null, agentic: null, api: null },
  openLoop: null,
  fleet: null,
  memory: null,
  caveats: [],
}
