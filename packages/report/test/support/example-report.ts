/**
 * A run as the report sees it: a closed-loop sweep of a made-up server with 16 slots whose law is written here, summed
 * up and judged by the same code as a real one. Its recommendation is frozen, so that a report's golden text does not
 * move with the last digits of a fit; `live-recommendation` makes it, and a test compares the two.
 */
import { readFileSync } from 'node:fs'
import type { Recommendation } from '@loadcurve/core/capacity/recommendation'
import { createGapHistogram } from '@loadcurve/core/metrics/gap-histogram'
import type { Sample, ShardRecord } from '@loadcurve/core/metrics/sample'
import { summariseStep } from '@loadcurve/core/metrics/summary'
import { resolvePlan } from '@loadcurve/core/plan/resolve'
import { type Random, seededRandom, standardNormal } from '@loadcurve/core/random'
import type { ReportStep, RunReport } from '@loadcurve/report/run-report'

const SLOTS = 16
const OUTPUT_TOKENS = 64
const WINDOW_MS = 40_000
const LEVELS = [1, 2, 4, 8, 12, 16, 24, 32]
const HELD_OUT = 8
const VERIFIED_PER_S = 5

export const examplePlan = resolvePlan({
  name: 'example <script>alert(1)</script> plan',
  target: { baseUrl: 'http://127.0.0.1:8000/v1', model: 'model & "quotes"' },
  workload: { inputTokens: { mean: 100 }, outputTokens: { mean: OUTPUT_TOKENS } },
  sweep: { concurrency: LEVELS },
  slo: [
    { metric: 'ttft', percentile: 95, maxMs: 800 },
    { metric: 'tpot', percentile: 95, maxMs: 22 },
  ],
  demand: { peakRequestsPerS: 40, meanRequestsPerS: 15 },
  hardware: {
    gpu: 'H100-SXM',
    gpusPerReplica: 1,
    pricePerGpuHour: 2.95,
    priceDate: '2026-05-20',
    model: 'Llama-3.1-8B',
    apiPrice: { inputPerMillion: 0.05, outputPerMillion: 0.2 },
  },
})

export const frozenRecommendation = new URL('../fixtures/recommendation.json', import.meta.url)

export function exampleReport(): RunReport {
  return {
    schemaVersion: 1,
    run: exampleRun,
    plan: examplePlan,
    steps: exampleSteps(),
    recommendation: JSON.parse(readFileSync(frozenRecommendation, 'utf8')) as Recommendation,
    definitionsVersion: 1,
    environment: { loadcurve: '0.1.0', node: '20.20.0' },
  }
}

/** What one load process would store of a level. */
export const exampleRecord = (concurrency: number): ShardRecord => closedRecord(concurrency).record

/** A grid with one level held out, the verify step, and one that failed with words of the target's own. */
export function exampleSteps(): ReportStep[] {
  const grid = LEVELS.map((concurrency, step) =>
    exampleStep(step, concurrency === HELD_OUT ? 'held-out' : 'grid', closedRecord(concurrency)),
  )
  const verify = exampleStep(grid.length, 'verify', openRecord(VERIFIED_PER_S))
  return [...grid, verify, failedStep(grid.length + 1)]
}

export const exampleRun: RunReport['run'] = {
  id: '11111111-1111-4111-8111-111111111111',
  planId: '22222222-2222-4222-8222-222222222222',
  planVersion: 1,
  planName: examplePlan.name,
  plan: examplePlan,
  origin: 'manual',
  state: 'finished',
  reason: 'sweep-complete',
  message: null,
  runsAhead: 0,
  preflight: null,
  fingerprintHash: 'abc123',
  dueAt: null,
  cancelRequestedAt: null,
  createdAt: '2026-01-15T12:00:00.000Z',
  startedAt: '2026-01-15T12:00:01.000Z',
  finishedAt: '2026-01-15T12:06:00.000Z',
}

interface MadeRecord {
  readonly level: ReportStep['level']
  readonly record: ShardRecord
}

function exampleStep(
  step: number,
  purpose: ReportStep['purpose'],
  { level, record }: MadeRecord,
): ReportStep {
  const summary = summariseStep({
    shards: [record],
    targetReadings: [],
    facts: {
      level,
      batchControl: 'none',
      thinkTimeS: 0,
      slo: examplePlan.slo,
      lengthsForced: true,
      cacheReuse: false,
      zeroLoadTtftMs: null,
      gpusPerReplica: 1,
      fingerprint: null,
    },
  })
  return { ...stepFields(step, purpose), level, state: 'finished', summary, reason: null, message: null }
}

function failedStep(step: number): ReportStep {
  return {
    ...stepFields(step, 'grid'),
    level: { batch: null, concurrency: 64, ratePerS: null },
    state: 'failed',
    summary: null,
    reason: 'error-fraction',
    message: 'the target says: <img src=x onerror="alert(1)"> too busy',
  }
}

function stepFields(step: number, purpose: ReportStep['purpose']) {
  return {
    step,
    purpose,
    attempt: 1,
    shardsCount: 1,
    predicted: null,
    excluded: null,
    startAt: '2026-01-15T12:01:00.000Z',
    finishedAt: '2026-01-15T12:02:00.000Z',
    targetReadings: [],
  }
}

function closedRecord(concurrency: number): MadeRecord {
  const random = seededRandom(concurrency, 'example')
  const gaps = createGapHistogram()
  const samples = Array.from({ length: concurrency }, () => slotSamples(concurrency, { random, gaps })).flat()
  return {
    level: { batch: null, concurrency, ratePerS: null },
    record: shardRecord(samples, { gaps, connections: concurrency }),
  }
}

// Independent arrivals that never fill the slots: each is as fast as the mean batch lets it be.
function openRecord(ratePerS: number): MadeRecord {
  const random = seededRandom(7, 'example')
  const gaps = createGapHistogram()
  const batch = (ratePerS * (OUTPUT_TOKENS - 1) * 0.012) / (1 - ratePerS * (OUTPUT_TOKENS - 1) * 0.0008)
  const samples: Sample[] = []
  for (let atMs = -4_000; atMs < WINDOW_MS + 2_000; atMs += (-Math.log(1 - random()) * 1000) / ratePerS) {
    const tpotMs = (12 + 0.8 * batch) * (1 + 0.04 * standardNormal(random))
    const ttftMs = 60 * (1.1 + 0.2 * random() ** 4)
    for (let token = 1; token < OUTPUT_TOKENS; token++) gaps.record(tpotMs)
    samples.push(sampleAt(atMs, { ttftMs, decodeMs: tpotMs * (OUTPUT_TOKENS - 1) }))
  }
  return {
    level: { batch: null, concurrency: null, ratePerS },
    record: shardRecord(samples, { gaps, connections: 16 }),
  }
}

function shardRecord(
  samples: Sample[],
  {
    gaps,
    connections,
  }: { readonly gaps: ReturnType<typeof createGapHistogram>; readonly connections: number },
): ShardRecord {
  samples.sort((left, right) => left.scheduledAtMs - right.scheduledAtMs)
  const counts = new Array<number>(WINDOW_MS / 100).fill(0)
  for (const sample of samples) countEvents(sample, counts)
  return {
    schemaVersion: 1,
    shard: 0,
    windowStartMs: 0,
    windowEndMs: WINDOW_MS,
    samples: samples.map((sample, index) => ({ ...sample, index })),
    gapHistogram: gaps.encode(),
    gapsAreTokenGaps: false,
    contentEventBins: { binMs: 100, counts },
    readings: {
      eventLoopDelayP99Ms: 1,
      dispatchSkewP99Ms: 0.2,
      receiveLagP99Ms: 0.4,
      parseQueuePeakBytes: 1000,
      cpuFraction: 0.1,
      cpuUsPerEvent: 20,
      droppedArrivals: 0,
      connectionsOpened: connections,
      retries: 0,
      calibration: null,
    },
  }
}

// One client: a request after the other, each as long as the law says.
function slotSamples(
  concurrency: number,
  { random, gaps }: { readonly random: Random; readonly gaps: ReturnType<typeof createGapHistogram> },
): Sample[] {
  const batch = Math.min(concurrency, SLOTS)
  const samples: Sample[] = []
  let atMs = -4_000 + random() * 1_000
  while (atMs < WINDOW_MS + 2_000) {
    const tpotMs = (12 + 0.8 * batch) * (1 + 0.01 * standardNormal(random))
    const decodeMs = tpotMs * (OUTPUT_TOKENS - 1)
    const waitMs = (Math.max(0, concurrency - SLOTS) / SLOTS) * (decodeMs + 60)
    const ttftMs = (60 + waitMs) * (1 + 0.05 * standardNormal(random))
    if (atMs >= 0 && atMs < WINDOW_MS) for (let token = 1; token < OUTPUT_TOKENS; token++) gaps.record(tpotMs)
    samples.push(sampleAt(atMs, { ttftMs, decodeMs }))
    atMs += ttftMs + decodeMs + 0.5
  }
  return samples
}

function sampleAt(
  atMs: number,
  { ttftMs, decodeMs }: { readonly ttftMs: number; readonly decodeMs: number },
): Sample {
  const firstMs = atMs + ttftMs
  const lastMs = firstMs + decodeMs
  const inside = Math.max(0, Math.min(lastMs, WINDOW_MS) - Math.max(firstMs, 0)) / decodeMs
  return {
    index: 0,
    phase: atMs < 0 ? 'warmup' : atMs < WINDOW_MS ? 'window' : 'tail',
    outcome: 'ok',
    httpStatus: 200,
    errorCode: null,
    errorText: null,
    retries: 0,
    scheduledAtMs: atMs,
    dispatchedAtMs: atMs,
    sentAtMs: atMs,
    firstByteAtMs: firstMs,
    firstContentAtMs: firstMs,
    firstVisibleAtMs: firstMs,
    lastContentAtMs: lastMs,
    validJsonAtMs: null,
    closedAtMs: lastMs,
    inputTokensAsked: 100,
    outputTokensAsked: OUTPUT_TOKENS,
    inputTokens: 100,
    inputTokensSource: 'usage',
    outputTokens: OUTPUT_TOKENS,
    outputTokensSource: 'usage',
    reasoningTokens: null,
    cachedInputTokens: 0,
    firstEventTokens: 1,
    contentEvents: OUTPUT_TOKENS,
    contentEventsInWindow: Math.round(OUTPUT_TOKENS * inside),
    sequences: 1,
    finishReason: 'length',
  }
}

function countEvents({ firstContentAtMs, lastContentAtMs }: Sample, counts: number[]): void {
  if (firstContentAtMs === null || lastContentAtMs === null) return
  for (let token = 0; token < OUTPUT_TOKENS; token++) {
    const atMs = firstContentAtMs + ((lastContentAtMs - firstContentAtMs) * token) / (OUTPUT_TOKENS - 1)
    const bin = Math.floor(atMs / 100)
    if (bin >= 0 && bin < counts.length) counts[bin] = (counts[bin] ?? 0) + 1
  }
}
