/**
 * A run as the report sees it: a closed-loop sweep of a made-up server with 16 slots whose law is written here, summed
 * up and judged by the same code as a real one.
 */
import { recommend } from '@loadcurve/core/capacity/recommend'
import { createGapHistogram } from '@loadcurve/core/metrics/gap-histogram'
import type { Sample, ShardRecord } from '@loadcurve/core/metrics/sample'
import { summariseStep } from '@loadcurve/core/metrics/summary'
import { levelOfSummary } from '@loadcurve/core/metrics/summary-level'
import { resolvePlan } from '@loadcurve/core/plan/resolve'
import { type Random, seededRandom, standardNormal } from '@loadcurve/core/random'
import type { ReportStep, RunReport } from '@loadcurve/report/run-report'

const SLOTS = 16
const OUTPUT_TOKENS = 64
const WINDOW_MS = 40_000
const LEVELS = [1, 2, 4, 8, 12, 16, 24, 32]

export const examplePlan = resolvePlan({
  name: 'example <script>alert(1)</script> plan',
  target: { baseUrl: 'http://127.0.0.1:8000/v1', model: 'model & "quotes"' },
  workload: { inputTokens: { mean: 100 }, outputTokens: { mean: OUTPUT_TOKENS } },
  sweep: { concurrency: LEVELS },
  slo: [{ metric: 'tpot', percentile: 'mean', maxMs: 22 }],
  hardware: { gpu: 'H100-SXM', gpusPerReplica: 1, pricePerGpuHour: 2.95, priceDate: '2026-05-20' },
})

export function exampleReport(): RunReport {
  const steps = LEVELS.map((concurrency, step) => exampleStep(step, concurrency))
  const recommendation = recommend({
    levels: steps.flatMap(({ summary, level }) =>
      summary === null ? [] : [levelOfSummary(summary, String(level.concurrency))],
    ),
    inputTokens: 100,
    outputTokens: OUTPUT_TOKENS,
    experts: null,
    probes: [],
    seed: 1,
    draws: 200,
    slo: examplePlan.slo,
    hardware: null,
  })
  return {
    schemaVersion: 1,
    run: exampleRun,
    plan: examplePlan,
    steps,
    recommendation,
    definitionsVersion: 1,
    environment: { loadcurve: '0.1.0', node: '20.20.0' },
  }
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

function exampleStep(step: number, concurrency: number): ReportStep {
  const level = { batch: null, concurrency, ratePerS: null }
  const summary = summariseStep({
    shards: [exampleRecord(concurrency)],
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
  return {
    step,
    attempt: 1,
    purpose: 'grid',
    level,
    shardsCount: 1,
    state: 'finished',
    summary,
    predicted: null,
    excluded: null,
    reason: null,
    message: null,
    startAt: '2026-01-15T12:01:00.000Z',
    finishedAt: '2026-01-15T12:02:00.000Z',
    targetReadings: [],
  }
}

function exampleRecord(concurrency: number): ShardRecord {
  const random = seededRandom(concurrency, 'example')
  const gaps = createGapHistogram()
  const samples = Array.from({ length: concurrency }, () => slotSamples(concurrency, { random, gaps })).flat()
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
      connectionsOpened: concurrency,
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
