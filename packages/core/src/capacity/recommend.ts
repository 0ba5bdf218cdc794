/**
 * From measured levels to an answer. Every door (a table, the steps of a run, a what-if) comes through here, so the
 * answer is the same whoever asks. Anything that stands in the way is a code in `reasons`, not an exception, and then
 * there is no number.
 */
import type { CaptureSizes } from '../fit/capture-sizes.ts'
import { type CurveFit, type CurveInput, fitCurve } from '../fit/curve.ts'
import type { CurveLaw } from '../fit/law.ts'
import { type BatchChoice, type BatchRange, batchInterval, bestBatch } from './batch.ts'
import { BETWEEN_LEVELS } from './between-levels.ts'
import { fitReport, littlesLawRows } from './fit-report.ts'
import { type Hardware, memoryVerdict } from './memory-answer.ts'
import { operatingPoint } from './operating-point.ts'
import { type PaddedAnswer, paddedBatchOf } from './padded-batch.ts'
import type { MemoryAnswer, Recommendation, SloTarget, Verdict } from './recommendation.ts'
import { saturationOf } from './saturation.ts'
import { type FitSettings, type SloLimit, sloLimits } from './slo-limits.ts'
import { isBelowWeightFloor } from './weight-floor.ts'
import { zeroLoadVerdict } from './zero-load.ts'

export interface RecommendInput extends CurveInput {
  /** Promises, all of which must hold. Empty: throughput alone decides. */
  readonly slo: readonly SloTarget[]
  readonly hardware: Hardware | null
  /** What the server is known to pad its batch to; left out or null: unknown. */
  readonly captureSizes?: CaptureSizes | null
}

/** Fits the levels and answers which batch to set, or why not. */
export function recommend(input: RecommendInput): Recommendation {
  return recommendFromCurve(fitCurve(input), input)
}

/** The answer from a curve that is fitted already: what-if asks another question of the same curve. */
export function recommendFromCurve(curve: CurveFit, input: RecommendInput): Recommendation {
  const { fitted } = curve
  if (fitted === null) return refused(curve, { verdict: 'inconclusive', reasons: curve.refusals })
  const settings = fitSettings(input)
  const { limits, refusals } = sloLimits(curve, { fitted, slo: input.slo, settings })
  const memory = memoryVerdict(input.hardware, fitted)
  if (memory.refusals.length > 0) return refused(curve, { verdict: 'infeasible', reasons: memory.refusals })
  if (refusals.length > 0) return refused(curve, { verdict: 'inconclusive', reasons: refusals })
  const zeroLoad = atZeroLoad(curve, limits)
  if (zeroLoad !== null) return refused(curve, zeroLoad)
  const range = batchRange(curve, { fitted, kv: memory.memory?.sequencesMean ?? null })
  const choice = chooseBatch(fitted, { range, limits })
  if (choice.recommended < 1) return refused(curve, { verdict: 'inconclusive', reasons: ['slo-undecided'] })
  const below = belowMeasuredRange(curve, choice)
  if (below) return refused(curve, { verdict: 'inconclusive', reasons: ['beyond-measured-range'] })
  const padded = paddedBatchOf(curve, { fitted, choice, range, limits, captureSizes: input.captureSizes })
  const { recommended } = padded
  if (recommended === null) return tooCoarse(curve, padded)
  return {
    ...refused(curve, { verdict: 'recommended', reasons: [] }),
    batch: {
      recommended,
      interval: padded.interval,
      operating: null,
      admissionLimit: null,
      limitedBy: choice.limitedBy,
      saturation: saturationOf(curve),
      levelWanted: padded.levelWanted,
    },
    operatingPoint: operatingPoint(curve, {
      fitted,
      batch: recommended,
      limits,
      gpusPerReplica: input.hardware?.gpusPerReplica ?? null,
      settings,
    }),
    memory: memory.memory,
    caveats: [
      ...curve.caveats,
      ...memory.caveats,
      ...(holdsLessThanSeen(memory.memory, fitted) ? ['kv-memory-below-measured'] : []),
      ...(isBelowWeightFloor(fitted.law, input.hardware) ? ['below-weight-floor'] : []),
      ...(isRetrograde(curve) ? ['retrograde-throughput'] : []),
      ...padded.caveats,
    ],
  }
}

/** What the fit of a promise's own column is asked with. */
export function fitSettings({ experts, seed, draws }: CurveInput): FitSettings {
  return { expertFraction: experts === null ? null : experts.perToken / experts.total, seed, draws }
}

// The curve has a batch, but the levels are too far apart around it to say what it costs; or a server that pads does not
// keep the promises with a single sequence.
function tooCoarse(curve: CurveFit, padded: PaddedAnswer): Recommendation {
  const isInDoubt = padded.caveats.some((caveat) => caveat.startsWith(BETWEEN_LEVELS))
  const reasons = [isInDoubt ? BETWEEN_LEVELS : 'slo-undecided']
  const why = refused(curve, { verdict: 'inconclusive', reasons })
  return {
    ...why,
    batch: { ...why.batch, levelWanted: padded.levelWanted },
    caveats: [...why.caveats, ...padded.caveats],
  }
}

// The answer without numbers: what was measured, what was excluded and why there is no recommendation.
function refused(curve: CurveFit, why: { verdict: Verdict; reasons: readonly string[] }): Recommendation {
  return {
    schemaVersion: 1,
    verdict: why.verdict,
    reasons: [...new Set([...why.reasons, ...curve.exclusions])],
    batch: {
      recommended: null,
      interval: null,
      operating: null,
      admissionLimit: null,
      limitedBy: null,
      saturation: saturationOf(curve),
      levelWanted: null,
    },
    operatingPoint: null,
    fit: fitReport(curve),
    littlesLaw: littlesLawRows(curve),
    profiles: { interactive: null, batch: null, agentic: null, api: null },
    openLoop: null,
    fleet: null,
    memory: null,
    caveats: curve.caveats,
  }
}

function atZeroLoad(
  curve: CurveFit,
  limits: readonly SloLimit[],
): { verdict: Verdict; reasons: readonly string[] } | null {
  const batchMin = smallestBatch(curve)
  const verdicts = limits.map((limit) => zeroLoadVerdict(limit, batchMin))
  if (verdicts.includes('missed')) return { verdict: 'infeasible', reasons: ['slo-below-zero-load'] }
  return null
}

/** Between which batches the answer may lie. */
export function batchRange(curve: CurveFit, known: { fitted: CurveLaw; kv: number | null }): BatchRange {
  const { fitted, kv } = known
  // One level past saturation does not identify B*, but it does say that the batch does not grow any more.
  const mayExtrapolate = fitted.law.form !== 'isotonic' && (curve.saturation?.past.length ?? 0) === 0
  return {
    measured: fitted.batchMax,
    extrapolated: fitted.batchMax * (mayExtrapolate ? EXTRAPOLATION_MAX : 1),
    kv,
  }
}

/** A curve may be read up to this multiple of the largest level. */
export const EXTRAPOLATION_MAX = 1.25

/** The batch of a law and its draws under some limits. */
export function chooseBatch(
  fitted: CurveLaw,
  given: { range: BatchRange; limits: readonly SloLimit[] },
): { recommended: number; interval: [number, number]; limitedBy: string; estimate: BatchChoice } {
  const steps = given.limits.filter((limit) => limit.binds === 'batch')
  const estimate = bestBatch(fitted.law, { range: given.range, steps, draw: null })
  const [low, high] = batchInterval(fitted.draws, { range: given.range, steps })
  // Bounds may reach beyond the data; what is set may not.
  const recommended = Math.min(low, Math.max(1, Math.floor(given.range.measured)))
  return {
    recommended,
    interval: [recommended, Math.max(recommended, high)],
    limitedBy: estimate.limitedBy,
    estimate,
  }
}

// A sweep that starts at four clients does not say what two see.
function belowMeasuredRange(curve: CurveFit, choice: { interval: [number, number] }): boolean {
  const batchMin = smallestBatch(curve)
  return batchMin > 2 && choice.interval[1] < 0.8 * batchMin
}

function smallestBatch(curve: CurveFit): number {
  const usable = curve.levels.filter((level) => level.excluded === null)
  return Math.min(...usable.map(({ reading }) => reading.decodeBatch ?? Number.POSITIVE_INFINITY))
}

// The sweep decoded more sequences at once than the catalogue's memory holds: the server it measured is another one, or
// keeps its cache in fewer bytes. The mean count is the one to compare: blocks are taken as answers grow.
function holdsLessThanSeen(memory: MemoryAnswer | null, fitted: CurveLaw): boolean {
  return memory !== null && memory.sequencesMean < fitted.batchMax
}

// Throughput falls beyond its peak, by the law and by what was measured. A plateau has a tiny β too, and the best of
// its levels lies above the last one by noise alone: the fall must be one that noise does not explain.
function isRetrograde(curve: CurveFit): boolean {
  if ((curve.usl?.peakConcurrency ?? null) === null) return false
  const measured = curve.levels.flatMap(({ reading, excluded }) =>
    excluded === null && reading.requestsPerS !== null ? [reading.requestsPerS] : [],
  )
  const peak = Math.max(...measured)
  const fallFraction = 1 - (measured.at(-1) ?? 0) / peak
  const beyond = measured.slice(measured.indexOf(peak))
  const steady =
    beyond.length > 3 && beyond.every((rate, index) => index === 0 || rate < (beyond[index - 1] ?? 0))
  return fallFraction > (steady ? STEADY_FALL_FRACTION : FALL_SIGMAS * levelNoiseFraction(curve))
}

// Three levels in a row, each below the one before, are noise once in 24 plateaus, and by this much far more rarely.
const STEADY_FALL_FRACTION = 0.03

// The difference of two levels has √2 of the noise of one; three of those are noise in less than 1 % of sweeps.
const FALL_SIGMAS = 3 * Math.SQRT2
const LEVEL_NOISE_RANGE = { min: 0.01, max: 0.02 } as const

// √(π/2) makes a standard deviation of a mean |error|. Above the range it is the law that errs, not the measurement.
function levelNoiseFraction({ looErrorFraction }: CurveFit): number {
  const sigma = Math.sqrt(Math.PI / 2) * (looErrorFraction ?? Number.POSITIVE_INFINITY)
  return Math.min(LEVEL_NOISE_RANGE.max, Math.max(LEVEL_NOISE_RANGE.min, sigma))
}
