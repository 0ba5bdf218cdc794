// The report of a run of twelve closed-loop levels, 16 slots, 200 requests and more each: made here, summed up and
// answered by core, as the service would.
import { createGapHistogram } from '@loadcurve/core/metrics/gap-histogram'
import { summariseStep } from '@loadcurve/core/metrics/summary'
import { resolvePlan } from '@loadcurve/core/plan/resolve'
import { seededRandom, standardNormal } from '@loadcurve/core/random'
import { answerRun } from '@loadcurve/core/run/run-answer'

const LEVELS = [1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 24, 32]
const SLOTS = 16
const OUTPUT_TOKENS = 64
const WINDOW_MS = 60_000
const AT = '2026-01-15T12:00:00.000Z'

export function twelveLevelReport() {
  const plan = resolvePlan({
    name: 'twelve levels',
    target: { baseUrl: 'http://127.0.0.1:8000/v1', model: 'made-up' },
    workload: { inputTokens: { mean: 100 }, outputTokens: { mean: OUTPUT_TOKENS } },
    sweep: { concurrency: LEVELS },
    slo: [{ metric: 'tpot', percentile: 95, maxMs: 22 }],
    demand: { peakRequestsPerS: 40 },
    hardware: { pricePerGpuHour: 2.95 },
  })
  const steps = LEVELS.map((concurrency, step) => stepOf(plan, { concurrency, step }))
  const id = '11111111-1111-4111-8111-111111111111'
  const run = {
    ...{ id, planId: id, planVersion: 1, planName: plan.name, plan, origin: 'manual', state: 'finished' },
    ...{ reason: 'sweep-complete', message: null, runsAhead: 0, preflight: null, fingerprintHash: null },
    ...{ dueAt: null, cancelRequestedAt: null, createdAt: AT, startedAt: AT, finishedAt: AT },
  }
  return {
    schemaVersion: 1,
    run,
    plan,
    steps,
    recommendation: answerRun({ plan, attempts: steps, probes: [], server: null }),
    definitionsVersion: 1,
    environment: { loadcurve: 'bench', node: process.versions.node },
  }
}

function stepOf(plan, { concurrency, step }) {
  const level = { batch: null, concurrency, ratePerS: null }
  const facts = {
    ...{ level, batchControl: 'none', thinkTimeS: 0, slo: plan.slo, lengthsForced: true, cacheReuse: false },
    ...{ zeroLoadTtftMs: 60, gpusPerReplica: 1, fingerprint: null },
  }
  const summary = summariseStep({ shards: [shardOf(concurrency)], targetReadings: [], facts })
  return {
    ...{ step, attempt: 1, purpose: 'grid', level, shardsCount: 1, state: 'finished', summary },
    ...{ predicted: null, excluded: null, reason: null, message: null, startAt: AT, finishedAt: AT },
    targetReadings: [],
  }
}

function shardOf(concurrency) {
  const random = seededRandom(concurrency, 'twelve levels')
  const gaps = createGapHistogram()
  const samples = []
  for (let slot = 0; slot < concurrency; slot++) {
    for (let atMs = -4000 + random() * 1500; atMs < WINDOW_MS + 2000; ) {
      const sample = sampleOf({ atMs, concurrency, random })
      samples.push(sample)
      gaps.record((sample.lastContentAtMs - sample.firstContentAtMs) / (OUTPUT_TOKENS - 1))
      atMs = sample.closedAtMs + 0.5
    }
  }
  samples.sort((left, right) => left.lastContentAtMs - right.lastContentAtMs)
  const eventsPerBin = (100 * Math.min(concurrency, SLOTS)) / (12 + 0.8 * Math.min(concurrency, SLOTS))
  return {
    ...{ schemaVersion: 1, shard: 0, windowStartMs: 0, windowEndMs: WINDOW_MS },
    samples: samples.map((sample, index) => ({ ...sample, index })),
    gapHistogram: gaps.encode(),
    gapsAreTokenGaps: true,
    contentEventBins: { binMs: 100, counts: Array.from({ length: 600 }, () => Math.round(eventsPerBin)) },
    readings: {
      ...{ eventLoopDelayP99Ms: 0.5, dispatchSkewP99Ms: 0.1, receiveLagP99Ms: 0.2, parseQueuePeakBytes: 0 },
      ...{ cpuFraction: 0.2, cpuUsPerEvent: 15, droppedArrivals: 0, connectionsOpened: 1, retries: 0 },
      calibration: null,
    },
  }
}

function sampleOf({ atMs, concurrency, random }) {
  const tpotMs = (12 + 0.8 * Math.min(concurrency, SLOTS)) * (1 + 0.01 * standardNormal(random))
  const decodeMs = tpotMs * (OUTPUT_TOKENS - 1)
  const waitMs = (Math.max(0, concurrency - SLOTS) / SLOTS) * (decodeMs + 60)
  const firstMs = atMs + (60 + waitMs) * (1 + 0.05 * standardNormal(random))
  const lastMs = firstMs + decodeMs
  const inside = Math.max(0, Math.min(lastMs, WINDOW_MS) - Math.max(firstMs, 0)) / decodeMs
  return {
    ...{ phase: atMs < 0 ? 'warmup' : atMs < WINDOW_MS ? 'window' : 'tail', outcome: 'ok', httpStatus: 200 },
    ...{ errorCode: null, errorText: null, retries: 0, finishReason: 'length', sequences: 1 },
    ...{ scheduledAtMs: atMs, dispatchedAtMs: atMs, sentAtMs: atMs, firstByteAtMs: firstMs },
    ...{ firstContentAtMs: firstMs, firstVisibleAtMs: firstMs, lastContentAtMs: lastMs, closedAtMs: lastMs },
    ...{ validJsonAtMs: null, inputTokensAsked: 100, inputTokens: 100, inputTokensSource: 'usage' },
    ...{ outputTokensAsked: OUTPUT_TOKENS, outputTokens: OUTPUT_TOKENS, outputTokensSource: 'usage' },
    ...{ reasoningTokens: null, cachedInputTokens: 0, firstEventTokens: 1, contentEvents: OUTPUT_TOKENS },
    contentEventsInWindow: Math.round(OUTPUT_TOKENS * inside),
  }
}
