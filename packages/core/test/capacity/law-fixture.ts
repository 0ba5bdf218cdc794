import {
  type EngineModel,
  type EngineSettings,
  engineModel,
} from '@loadcurve/core/capacity/simulate/engine-model'
import type { FittedLaw, StepLaw } from '@loadcurve/core/fit/law'
import type { LatencyColumn, Level } from '@loadcurve/core/fit/level'

export const LENGTHS = { inputTokens: 1000, outputTokens: 201 }

/** itl(b) = 10 + 0.5 b; a lone prompt of 1,000 tokens takes 60 ms, 10 of them the empty step: 50 ms of work. */
export function linearLaw(over: Partial<StepLaw> = {}): StepLaw {
  return {
    form: 'linear',
    baseMs: 10,
    slopeMs: 0.5,
    shapeMs: 0,
    expertFraction: null,
    knots: [],
    saturationBatch: null,
    ttftBaseMs: 60,
    ttftSlopeMs: 0.5,
    prefillMs: { p0: 60, p1: 0, p2: 0 },
    prefillSource: 'ttft',
    ...over,
  }
}

export function engineOf(over: Partial<EngineSettings> = {}, law = linearLaw()): EngineModel {
  return engineModel(law, LENGTHS, { slots: 32, stepTokens: null, kvTokens: null, ...over })
}

export function fittedLaw(over: Partial<FittedLaw> = {}): FittedLaw {
  return { law: linearLaw(), draws: [], ...LENGTHS, concurrencyMax: 32, batchMax: 30, ...over }
}

export function column(over: Partial<LatencyColumn> = {}): LatencyColumn {
  return { mean: null, p50: null, p90: null, p95: null, p99: null, ...over }
}

export function closedLevel(over: Partial<Level> = {}): Level {
  return {
    label: 'level',
    kind: 'closed-loop',
    concurrency: 1,
    ratePerS: null,
    achievedConcurrency: null,
    requestsPerS: null,
    outputTokensPerS: null,
    inputTokens: null,
    outputTokens: null,
    requests: null,
    okFraction: null,
    thinkTimeS: 0,
    ttftMs: column(),
    tpotMs: column(),
    gapMs: column(),
    e2eMs: column(),
    batchLimit: null,
    server: null,
    errors: null,
    excluded: null,
    ...over,
  }
}

export const FIXED = (mean: number, stdev = 0) => ({ distribution: 'normal', mean, stdev }) as const
