/**
 * The whole way from measured levels to a law with its uncertainty: read each level, let the gates exclude what cannot
 * be believed, merge repeats, fit, predict every level from the others, and draw replicates. What cannot be fitted is
 * refused with stable codes; bad data never throws.
 */
import { fitClosedLoopCurve } from './curve-closed-loop.ts'
import { fitOpenLoopCurve } from './curve-open-loop.ts'
import { GATES, gate, sweepNorms } from './gates.ts'
import type { CurveLaw, StepLaw } from './law.ts'
import type { Level } from './level.ts'
import type { PipelineOptions } from './pipeline.ts'
import { fitPrefill, type PrefillProbe } from './prefill.ts'
import { type LevelReading, readLevel } from './reading.ts'
import type { SaturationReading } from './saturation.ts'
import { groupRepeats } from './sweep.ts'
import { fitUsl, type UslFit } from './usl.ts'

export interface CurveInput {
  readonly levels: readonly Level[]
  /** Mean lengths, where the levels do not know their own; null when nobody knows. */
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  /** Of a mixture-of-experts model. */
  readonly experts: { readonly total: number; readonly perToken: number } | null
  readonly probes: readonly PrefillProbe[]
  readonly seed: number
  /** Bootstrap replicates. */
  readonly draws: number
}

/** What the fit says about one level. */
export interface LevelPrediction {
  readonly tpotMs: number
  readonly requestsPerS: number | null
  readonly ttftMs: number | null
  /** Prediction from the other levels, and the 90 % bound that they put on this one. */
  readonly looTpotMs: number
  readonly boundTpotMs: readonly [number, number]
  readonly looRequestsPerS: number | null
}

export interface CurveLevel {
  readonly reading: LevelReading
  /** Code of the gate that it failed, else null. */
  readonly excluded: string | null
  /** Null where Little's law cannot be checked. */
  readonly littlesLawHolds: boolean | null
  /** Null for excluded levels and where there is no fit. */
  readonly prediction: LevelPrediction | null
}

export interface CurveFit {
  /** All levels, in order of concurrency or rate. */
  readonly levels: readonly CurveLevel[]
  /** Codes why there is no law; empty when there is one. */
  readonly refusals: readonly string[]
  /** Distinct codes of excluded levels. */
  readonly exclusions: readonly string[]
  readonly fitted: CurveLaw | null
  /** Mean |relative error| of TPOT over interior levels, each predicted from the others. */
  readonly looErrorFraction: number | null
  readonly converged: boolean
  /** True when throughput, TTFT and TPOT were fitted together. */
  readonly joint: boolean
  readonly saturation: SaturationReading | null
  /** Diagnosis: β > 0 means that throughput falls beyond its peak. */
  readonly usl: UslFit | null
  readonly caveats: readonly string[]
}

/** A law and its record, as one of the two kinds of sweep gives it. */
export interface CurveOutcome {
  readonly law: StepLaw
  readonly draws: readonly StepLaw[]
  /** One per group of repeats, in their order; each gives one prediction per reading. */
  readonly predictions: readonly (readonly LevelPrediction[])[]
  readonly looErrorFraction: number
  readonly converged: boolean
  readonly joint: boolean
  readonly saturation: SaturationReading | null
  readonly refusal: string | null
}

export interface OutcomeInput {
  readonly groups: readonly (readonly LevelReading[])[]
  readonly outputTokens: number
  readonly expertFraction: number | null
  readonly prefill: PipelineOptions['prefill']
  readonly seed: number
  readonly draws: number
}

/** Fewer levels than this leave nothing to check a law with. */
export const LEVELS_MIN = 4
/** More distinct levels than this are no sweep but single requests, and leaving each one out would take minutes. */
export const LEVELS_MAX = 100

/** Fits the curve of a sweep. */
export function fitCurve(input: CurveInput): CurveFit {
  const judged = judgeLevels(input)
  const usable = judged.filter((level) => level.excluded === null).map((level) => level.reading)
  const groups = groupRepeats(usable)
  const outputTokens = mean(usable.map((reading) => reading.outputTokens))
  const refusals = sweepRefusals(judged, { groups: groups.length, outputTokens })
  const base = {
    exclusions: [...new Set(judged.flatMap((level) => level.excluded ?? []))],
    usl: uslOf(usable),
  }
  if (refusals.length > 0 || outputTokens === null) return { ...base, ...withoutLaw(judged, refusals) }
  const outcomeInput: OutcomeInput = {
    groups,
    outputTokens,
    expertFraction: input.experts === null ? null : input.experts.perToken / input.experts.total,
    prefill: prefillOf(input.probes, usable),
    seed: input.seed,
    draws: input.draws,
  }
  const openLoop = usable[0]?.level.kind === 'open-loop'
  const outcome = openLoop ? fitOpenLoopCurve(outcomeInput) : fitClosedLoopCurve(outcomeInput)
  if (outcome.refusal !== null) return { ...base, ...withoutLaw(judged, [outcome.refusal]) }
  return { ...base, ...withLaw(judged, { input, outcomeInput, outcome, usable }) }
}

// Closed-loop levels are fitted where there are any; arrival rates beside them are there to verify, not to fit.
function judgeLevels(input: CurveInput): CurveLevel[] {
  const closed = input.levels.filter((level) => level.kind === 'closed-loop')
  const readings = (closed.length > 0 ? closed : input.levels)
    .map((level) => readLevel(level, input.outputTokens))
    .sort((left, right) => loadOf(left) - loadOf(right))
  const norms = sweepNorms(readings, input.outputTokens)
  return readings.map((reading) => ({
    reading,
    excluded: gate(reading, norms),
    littlesLawHolds: holds(reading),
    prediction: null,
  }))
}

function loadOf({ level }: LevelReading): number {
  return level.concurrency ?? level.ratePerS ?? level.achievedConcurrency ?? 0
}

function holds({ littlesLawRatio }: LevelReading): boolean | null {
  if (littlesLawRatio === null) return null
  return littlesLawRatio >= GATES.ratioTrusted && littlesLawRatio <= 2 - GATES.ratioTrusted
}

function sweepRefusals(
  judged: readonly CurveLevel[],
  usable: { groups: number; outputTokens: number | null },
): string[] {
  const codes = judged.flatMap((level) => level.excluded ?? [])
  // Somebody else's load touches every level; a hit rate that drifts leaves no level to compare with.
  if (codes.includes('foreign-traffic')) return ['foreign-traffic']
  if (codes.filter((code) => code === 'cache-hit-rate-differs').length > 1) return ['cache-hit-rate-differs']
  if (usable.groups < LEVELS_MIN) return ['too-few-levels', ...new Set(codes)]
  if (usable.groups > LEVELS_MAX) return ['too-many-levels']
  return usable.outputTokens === null ? ['output-length-unknown'] : []
}

function withoutLaw(levels: readonly CurveLevel[], refusals: readonly string[]) {
  return {
    levels,
    refusals,
    fitted: null,
    looErrorFraction: null,
    converged: false,
    joint: false,
    saturation: null,
    caveats: [],
  }
}

function withLaw(
  judged: readonly CurveLevel[],
  parts: {
    input: CurveInput
    outcomeInput: OutcomeInput
    outcome: CurveOutcome
    usable: readonly LevelReading[]
  },
) {
  const { input, outcomeInput, outcome, usable } = parts
  const predictions = new Map<LevelReading, LevelPrediction>()
  outcomeInput.groups.forEach((group, index) => {
    group.forEach((reading, repeat) => {
      const prediction = outcome.predictions[index]?.[repeat]
      if (prediction !== undefined) predictions.set(reading, prediction)
    })
  })
  return {
    levels: judged.map((level) => ({ ...level, prediction: predictions.get(level.reading) ?? null })),
    refusals: [],
    fitted: {
      law: outcome.law,
      draws: outcome.draws,
      inputTokens: mean(usable.map((reading) => reading.level.inputTokens)) ?? input.inputTokens,
      outputTokens: outcomeInput.outputTokens,
      ...inputRange(input.probes),
      concurrencyMax: Math.max(...usable.map((reading) => reading.inFlight ?? 0)),
      batchMax: Math.max(...usable.map((reading) => reading.decodeBatch ?? 0)),
    },
    looErrorFraction: outcome.looErrorFraction,
    converged: outcome.converged,
    joint: outcome.joint,
    saturation: outcome.saturation,
    caveats: caveatsOf(outcome, usable),
  }
}

function caveatsOf(outcome: CurveOutcome, usable: readonly LevelReading[]): string[] {
  return [
    ...(outcome.law.prefillSource === 'ttft' ? ['prefill-from-ttft'] : []),
    ...(usable.some((reading) => reading.throughputDerived) ? ['throughput-from-littles-law'] : []),
    ...(usable.some((reading) => reading.tpotSource === 'flow') ? ['tpot-from-littles-law'] : []),
    ...(usable.some((reading) => reading.tpotSource === 'e2e') ? ['tpot-from-e2e'] : []),
    ...(usable.some((reading) => reading.statistic === 'p50') ? ['typical-is-p50'] : []),
    ...(usable.some((reading) => reading.tpotSource === 'gaps') ? ['tpot-from-gaps'] : []),
    ...(outcome.law.form === 'isotonic' ? ['no-law-fits'] : []),
    ...(outcome.converged ? [] : ['joint-fit-not-converged']),
  ]
}

// Unchunked prefill of one prompt: what probes say, else TTFT at the lowest level, which is prefill and little else.
function prefillOf(
  probes: readonly PrefillProbe[],
  usable: readonly LevelReading[],
): PipelineOptions['prefill'] {
  const polynomial = fitPrefill(probes)
  if (polynomial !== null) return { prefillMs: polynomial, prefillSource: 'probes' }
  const lowest = usable.find((reading) => reading.ttftMs !== null)
  return { prefillMs: { p0: lowest?.ttftMs ?? 0, p1: 0, p2: 0 }, prefillSource: 'ttft' }
}

function inputRange(probes: readonly PrefillProbe[]): { inputTokensRange?: readonly [number, number] } {
  if (fitPrefill(probes) === null) return {}
  const lengths = probes.map((probe) => probe.inputTokens)
  return { inputTokensRange: [Math.min(...lengths), Math.max(...lengths)] }
}

function uslOf(usable: readonly LevelReading[]): UslFit | null {
  return fitUsl(
    usable.flatMap(({ inFlight, requestsPerS, throughputDerived }) =>
      inFlight === null || requestsPerS === null || throughputDerived
        ? []
        : [{ concurrency: inFlight, throughput: requestsPerS }],
    ),
  )
}

function mean(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length
}
