/** The fit as the answer shows it: parameters, knees, and every level with its prediction and its exclusion. */
import type { CurveFit, CurveLevel } from '../fit/curve.ts'
import type { StepLaw } from '../fit/law.ts'
import type { LevelReading } from '../fit/reading.ts'
import type { FitLevelReport, FitReport, LittlesLawRow } from './recommendation.ts'

/** The fit part of the answer; levels are shown even where nothing could be fitted. */
export function fitReport(curve: CurveFit): FitReport {
  const law = curve.fitted?.law ?? null
  return {
    model: law?.form ?? 'none',
    params: law === null ? {} : parameters(law, curve),
    looErrorFraction: curve.looErrorFraction,
    converged: curve.converged,
    knees: law === null ? {} : knees(law, curve),
    levels: curve.levels.map(levelReport),
  }
}

/** One row per level for the Little's-law table. */
export function littlesLawRows(curve: CurveFit): LittlesLawRow[] {
  return curve.levels.map(({ reading, littlesLawHolds }) => ({
    concurrency: reading.level.concurrency,
    ratio: reading.littlesLawRatio,
    holds: littlesLawHolds,
    decodeBatch: reading.decodeBatch,
  }))
}

function parameters(law: StepLaw, curve: CurveFit): Record<string, number | null> {
  return {
    baseMs: law.baseMs,
    slopeMs: law.slopeMs,
    shapeMs: law.shapeMs,
    expertFraction: law.expertFraction,
    saturationBatch: law.saturationBatch,
    ttftBaseMs: law.ttftBaseMs,
    ttftSlopeMs: law.ttftSlopeMs,
    prefillP0Ms: law.prefillMs.p0,
    prefillP1MsPerToken: law.prefillMs.p1,
    prefillP2MsPerToken2: law.prefillMs.p2,
    uslAlpha: curve.usl?.alpha ?? null,
    uslBeta: curve.usl?.beta ?? null,
    uslGamma: curve.usl?.gamma ?? null,
  }
}

// The knee of throughput over latency is at b = a/s. It is shown because people ask for it; it decides nothing.
function knees(law: StepLaw, curve: CurveFit): Record<string, number | null> {
  const linear = law.form === 'linear' && law.slopeMs > 0
  return {
    throughputOverLatency: linear ? law.baseMs / law.slopeMs : null,
    uslPeakConcurrency: curve.usl?.peakConcurrency ?? null,
  }
}

function levelReport({ reading, excluded, prediction }: CurveLevel): FitLevelReport {
  return {
    label: reading.level.label,
    concurrency: reading.level.concurrency,
    achieved: reading.inFlight,
    decodeBatch: reading.decodeBatch,
    tpotMs: reading.tpotMs,
    predictedTpotMs: prediction?.tpotMs ?? null,
    boundTpotMs: prediction?.boundTpotMs ?? null,
    looPredictedTpotMs: prediction?.looTpotMs ?? null,
    requestsPerS: reading.requestsPerS,
    predictedRequestsPerS: prediction?.requestsPerS ?? null,
    looPredictedRequestsPerS: prediction?.looRequestsPerS ?? null,
    outputTokensPerS: outputTokensPerS(reading),
    ttftMs: reading.ttftMs,
    predictedTtftMs: prediction?.ttftMs ?? null,
    excluded,
  }
}

function outputTokensPerS({ level, requestsPerS, outputTokens }: LevelReading): number | null {
  if (level.outputTokensPerS !== null) return level.outputTokensPerS
  return requestsPerS === null || outputTokens === null ? null : requestsPerS * outputTokens
}
