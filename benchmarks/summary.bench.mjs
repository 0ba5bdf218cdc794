// How long is a step summarised? Steps of 10k, 100k and 1M samples of a closed loop, two shards, two promises.
// Prints the fastest of some runs (other work on the machine only ever adds time) and the growth exponent between
// sizes: 1 is linear.
import { createGapHistogram } from '@loadcurve/core/metrics/gap-histogram'
import { summariseStep } from '@loadcurve/core/metrics/summary'
import { seededRandom, standardNormal } from '@loadcurve/core/random'

const CONCURRENCY = 64
const BIN_MS = 100

const healthy = {
  eventLoopDelayP99Ms: 0.5,
  dispatchSkewP99Ms: 0.1,
  receiveLagP99Ms: 0.2,
  parseQueuePeakBytes: 1_000,
  cpuFraction: 0.2,
  cpuUsPerEvent: 15,
  droppedArrivals: 0,
  connectionsOpened: 1,
  retries: 0,
  calibration: null,
}

const facts = {
  level: { batch: null, concurrency: CONCURRENCY, ratePerS: null },
  batchControl: 'none',
  thinkTimeS: 0,
  slo: [
    { metric: 'ttft', percentile: 95, maxMs: 260 },
    { metric: 'tpot', percentile: 95, maxMs: 24 },
  ],
  lengthsForced: true,
  cacheReuse: false,
  zeroLoadTtftMs: 100,
  gpusPerReplica: 1,
  fingerprint: null,
}

const sizes = [
  { samples: 10_000, runs: 30 },
  { samples: 100_000, runs: 7 },
  { samples: 1_000_000, runs: 4 },
]
const fastestMs = sizes.map(({ samples, runs }) => {
  const shards = [shardOf({ samples: samples / 2, shard: 0 }), shardOf({ samples: samples / 2, shard: 1 })]
  const times = Array.from({ length: runs }, () =>
    timeMs(() => summariseStep({ shards, targetReadings: [], facts })),
  )
  return Math.min(...times)
})

for (const [index, { samples }] of sizes.entries()) {
  const growth = index === 0 ? '' : `  growth exponent ${exponent(index).toFixed(2)}`
  console.log(
    `${String(samples).padStart(9)} samples  ${fastestMs[index].toFixed(0).padStart(6)} ms${growth}`,
  )
}

function exponent(index) {
  const [before, here] = [sizes[index - 1].samples, sizes[index].samples]
  return Math.log(fastestMs[index] / fastestMs[index - 1]) / Math.log(here / before)
}

function timeMs(work) {
  const startedAt = performance.now()
  work()
  return performance.now() - startedAt
}

// Slots that hand over at once; samples come in order of their end, as a load process writes them.
function shardOf({ samples: count, shard }) {
  const random = seededRandom(1, `bench ${shard}`)
  const slots = CONCURRENCY / 2
  const freeAtMs = new Float64Array(slots)
  const gaps = createGapHistogram()
  const samples = []
  for (let turn = 0; turn < count; turn++) {
    const slot = turn % slots
    const sentAtMs = freeAtMs[slot] + 0.2
    const ttftMs = 150 + 40 * Math.abs(standardNormal(random))
    const outputTokens = 90 + Math.floor(20 * random())
    const tpotMs = 20 + standardNormal(random)
    const lastContentAtMs = sentAtMs + ttftMs + (outputTokens - 1) * tpotMs
    freeAtMs[slot] = lastContentAtMs + 0.3
    gaps.record(tpotMs)
    samples.push(sampleOf({ index: turn * 2 + shard, sentAtMs, ttftMs, outputTokens, lastContentAtMs }))
  }
  samples.sort((left, right) => left.lastContentAtMs - right.lastContentAtMs)
  const windowEndMs = Math.min(...freeAtMs)
  const counts = new Array(Math.floor(windowEndMs / BIN_MS)).fill(0).map(() => 80 + Math.floor(random() * 10))
  return {
    schemaVersion: 1,
    shard,
    windowStartMs: 0,
    windowEndMs,
    samples,
    gapHistogram: gaps.encode(),
    gapsAreTokenGaps: true,
    contentEventBins: { binMs: BIN_MS, counts },
    readings: healthy,
  }
}

function sampleOf({ index, sentAtMs, ttftMs, outputTokens, lastContentAtMs }) {
  const firstContentAtMs = sentAtMs + ttftMs
  return {
    index,
    phase: 'window',
    outcome: 'ok',
    httpStatus: 200,
    errorCode: null,
    errorText: null,
    retries: 0,
    scheduledAtMs: sentAtMs - 0.2,
    dispatchedAtMs: sentAtMs - 0.1,
    sentAtMs,
    firstByteAtMs: firstContentAtMs - 1,
    firstContentAtMs,
    firstVisibleAtMs: firstContentAtMs,
    lastContentAtMs,
    validJsonAtMs: null,
    closedAtMs: lastContentAtMs + 0.2,
    inputTokensAsked: 512,
    outputTokensAsked: outputTokens,
    inputTokens: 512,
    inputTokensSource: 'usage',
    outputTokens,
    outputTokensSource: 'usage',
    reasoningTokens: null,
    cachedInputTokens: 0,
    firstEventTokens: 1,
    contentEvents: outputTokens,
    contentEventsInWindow: outputTokens,
    sequences: 1,
    finishReason: 'length',
  }
}
