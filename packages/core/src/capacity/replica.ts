/**
 * One replica, ready to be asked: the fitted law in the shape that predicts best, a slow and a fast version of it at
 * the ends of its uncertainty, the traffic, and the calibration that says how far all this may be trusted.
 */
import type { FittedLaw, StepLaw } from '../fit/law.ts'
import { stepTimeMs } from '../fit/law.ts'
import type { Level } from '../fit/level.ts'
import { type LengthDistribution, meanLength } from '../load/lengths.ts'
import { type Calibration, calibrate, workSigmaOf } from './calibration.ts'
import { type DecodeKnot, decodeKnots, decodeTable } from './decode-knots.ts'
import { type MeasuredPoint, measuredPoints, typicalMs } from './measured-point.ts'
import { withCertainSteps, withPaddingCost } from './padded-engine.ts'
import type { PaddedSteps } from './padding.ts'
import { scaledLaw, typicalFactor } from './scaled-law.ts'
import { type EngineModel, engineModel } from './simulate/engine-model.ts'
import type { ArrivalPattern, ReplicaTraffic } from './simulate/rehearsal.ts'

export interface ReplicaQuestion {
  readonly fitted: FittedLaw
  /** The levels behind the fit; none when only the law is known. */
  readonly levels: readonly Level[]
  /** Lengths of the traffic; null: those that were measured. */
  readonly inputTokens: LengthDistribution | null
  readonly outputTokens: LengthDistribution | null
  readonly arrival: ArrivalPattern
  /** `max_num_batched_tokens`, when the server tells it. */
  readonly stepTokens: number | null
  /** KV-cache places, tokens, when the memory is known. */
  readonly kvTokens: number | null
  /** What padding of the batch may make of the steps between the levels; left out: nothing is padded. */
  readonly paddedSteps?: PaddedSteps
  /** The same if the TTFT holds a delay; left out: it holds none. */
  readonly paddedBehindDelay?: PaddedSteps
  readonly seed: number
}

export type LawCase = 'expected' | 'slow' | 'fast'

export interface Replica {
  readonly question: ReplicaQuestion
  readonly traffic: ReplicaTraffic
  readonly laws: Readonly<Record<LawCase, StepLaw>>
  /** Decode steps of the measured levels, where they explain the levels better than the law does; else null. */
  readonly knots: readonly DecodeKnot[] | null
  readonly calibration: Calibration
  /** Places of the server as it was measured: seen at saturation, or the most that the measured range allows. */
  readonly places: { readonly slots: number; readonly seen: boolean }
  /** Relative uncertainty of the replica's speed from model error, beyond that of the draws. */
  readonly speedErrorFraction: number
}

/** Lengths of a table are means; this much spread around the mean answer keeps simulated clients out of lockstep. */
const UNKNOWN_OUTPUT_CV = 0.1
/** The fit may be asked up to 1.25 times the largest concurrency that it saw (MODEL.md). */
const RANGE_FRACTION = 1.25
/** Fewer levels than this draw no shape. */
const KNOTS_MIN = 4
/** The levels follow their own noise, so they must explain themselves clearly better than the law does. */
const LEVELS_WIN_FRACTION = 0.7
/** So many more clients than places, and so much more TTFT than a prefill takes, are a queue for places. */
const OVERFULL_FRACTION = 1.15
const OVERFULL_TTFT_FRACTION = 2
/** No law is known better than this from a sweep of some levels. */
const SPEED_ERROR_MIN_FRACTION = 0.01

/** Prepares a replica: calibrates the law and the levels' own steps, keeps what explains the levels better. */
export function prepareReplica(question: ReplicaQuestion): Replica {
  const { fitted, seed } = question
  const points = measuredPoints(question.levels, fitted.outputTokens)
  const places = placesOf(fitted, points)
  const laws = lawsOf(fitted, typicalFactor(points))
  const traffic = trafficOf(question, points)
  const knots = knotsOf(question, { points, law: laws.expected, slots: places.slots })
  const asMeasured = { ...traffic, ...measuredLengths(question) }
  const calibrated = (decode: readonly DecodeKnot[] | null): Calibration =>
    calibrate(engineFor({ question, laws, knots: decode }, 'expected', places.slots), asMeasured, {
      points,
      seed,
    })
  const byLaw = calibrated(null)
  const byLevels = knots.length < KNOTS_MIN ? null : calibrated(knots)
  const levelsWin = byLevels !== null && misfitOf(byLevels) < LEVELS_WIN_FRACTION * misfitOf(byLaw)
  const calibration = levelsWin ? byLevels : byLaw
  return {
    question,
    traffic,
    laws,
    knots: levelsWin ? knots : null,
    calibration,
    places,
    speedErrorFraction: Math.max(SPEED_ERROR_MIN_FRACTION, calibration.errors.requestsPerS ?? 0),
  }
}

/** The engine of a replica at one end of its uncertainty. `slots` null: as measured. */
export function replicaEngine(replica: Replica, lawCase: LawCase, slots: number | null): EngineModel {
  const engine = engineFor(replica, lawCase, slots ?? replica.places.slots)
  const factor = 1 + replica.speedErrorFraction
  if (lawCase === 'expected') return engine
  return scaledEngine(engine, lawCase === 'slow' ? factor : 1 / factor)
}

/**
 * Why a traffic's lengths are out of reach of the fit, or null: answers outside [0.5, 2] times the measured ones, or
 * prompts outside the measured range (MODEL.md: 21 to 35 % error there).
 */
export function lengthsRefused({ fitted, inputTokens, outputTokens }: ReplicaQuestion): string | null {
  const [inputMin, inputMax] = fitted.inputTokensRange ?? [fitted.inputTokens, fitted.inputTokens]
  const input = inputTokens === null ? fitted.inputTokens : meanLength(inputTokens)
  const output = outputTokens === null ? fitted.outputTokens : meanLength(outputTokens)
  const inputFits = input >= inputMin * 0.9 && input <= inputMax * 1.1
  const outputFits = output >= fitted.outputTokens * 0.5 && output <= fitted.outputTokens * 2
  return inputFits && outputFits ? null : 'beyond-measured-range'
}

function measuredLengths({ fitted }: ReplicaQuestion): Pick<ReplicaTraffic, 'inputTokens' | 'outputTokens'> {
  const { inputTokens, outputTokens } = fitted
  return {
    inputTokens: { distribution: 'normal', mean: inputTokens, stdev: 0 },
    outputTokens: { distribution: 'normal', mean: outputTokens, stdev: outputTokens * UNKNOWN_OUTPUT_CV },
  }
}

function trafficOf(question: ReplicaQuestion, points: readonly MeasuredPoint[]): ReplicaTraffic {
  const measured = measuredLengths(question)
  const inputTokens = question.inputTokens ?? measured.inputTokens
  // Whoever gives a distribution of prompts has said where their spread comes from.
  const spreadGiven = inputTokens.distribution === 'empirical' || inputTokens.stdev > 0
  return {
    inputTokens,
    outputTokens: question.outputTokens ?? measured.outputTokens,
    arrival: question.arrival,
    workSigma: spreadGiven ? 0 : workSigmaOf(points),
  }
}

/**
 * At saturation the places are held by the decode batch B* and by the prompts in prefill, X times their service time.
 * The fit names B* when two levels lie beyond it. One is enough to count the places: its clients are clearly more than
 * they can hold, and its TTFT clearly more than a prefill. Where no level saturates, the server has more places than
 * were ever used, and the range gate stands in.
 */
function placesOf(fitted: FittedLaw, points: readonly MeasuredPoint[]): Replica['places'] {
  const top = points.at(-1)
  const batch = fitted.law.saturationBatch ?? Math.max(0, ...points.map((point) => point.decodeBatch))
  const throughputPerS = Math.max(0, ...points.map((point) => point.requestsPerS))
  const { p0, p1, p2 } = fitted.law.prefillMs
  const { inputTokens } = fitted
  const loneMs = p0 + p1 * inputTokens + p2 * inputTokens ** 2
  const emptyMs = Math.max(0, stepTimeMs(fitted.law, 0))
  // The step that carries a prompt also decodes the full batch, less what the prompt itself takes of the mean step.
  const carryingMs = Math.max(loneMs, loneMs - emptyMs + stepTimeMs(fitted.law, batch) / 2)
  const held = batch + (throughputPerS * carryingMs) / 1000
  const overfull =
    top !== undefined &&
    top.concurrency > OVERFULL_FRACTION * held &&
    (typicalMs(top.ttftMs) ?? 0) > OVERFULL_TTFT_FRACTION * carryingMs
  if (fitted.law.saturationBatch === null && !overfull) {
    return { slots: Math.max(1, Math.floor(fitted.concurrencyMax * RANGE_FRACTION)), seen: false }
  }
  return { slots: Math.max(1, Math.round(held)), seen: true }
}

/** The law in the typical request's time, and the draws at the 5 % and 95 % ends of their speed. */
function lawsOf({ law, draws, batchMax }: FittedLaw, factor: number): Replica['laws'] {
  const expected = scaledLaw(law, factor)
  if (draws.length === 0) return { expected, slow: expected, fast: expected }
  const batches = [0.1, 0.25, 0.5, 0.75, 1].map((fraction) => fraction * batchMax)
  const speed = (draw: StepLaw): number =>
    batches.reduce((sum, batch) => sum + Math.log(stepTimeMs(draw, batch)), 0)
  const ranked = [...draws].sort((left, right) => speed(left) - speed(right))
  const at = (fraction: number): StepLaw =>
    scaledLaw(ranked[Math.round(fraction * (ranked.length - 1))] as StepLaw, factor)
  return { expected, slow: at(0.95), fast: at(0.05) }
}

/** Decode steps of the levels. The work of a prompt depends on the empty step, and the steps on the work: two rounds. */
function knotsOf(
  { fitted, stepTokens, kvTokens }: ReplicaQuestion,
  from: { readonly points: readonly MeasuredPoint[]; readonly law: StepLaw; readonly slots: number },
): DecodeKnot[] {
  const settings = { stepTokens, kvTokens, slots: from.slots }
  let emptyMs = Math.max(0, stepTimeMs(from.law, 0))
  let knots: DecodeKnot[] = []
  for (let round = 0; round < 2; round++) {
    const engine = engineModel(from.law, fitted, { ...settings, emptyMs })
    const workMs = engine.prefillWorkMs(fitted.inputTokens)
    knots = decodeKnots(from.points, { outputTokens: fitted.outputTokens, workMs, slots: from.slots })
    if (knots.length > 0) emptyMs = decodeTable(knots, engine.decodeMs)[0] ?? emptyMs
  }
  return knots
}

/** An engine with the law's decode, or with that of the levels moved by the law's own uncertainty. */
function engineFor(
  { question, laws, knots }: Pick<Replica, 'question' | 'laws' | 'knots'>,
  lawCase: LawCase,
  slots: number,
): EngineModel {
  const { paddedSteps, fitted } = question
  const end = lawCase === 'slow' ? 'most' : 'least'
  if (paddedSteps !== undefined && paddedSteps.certain !== null) {
    const { certain } = paddedSteps
    const engine = unpaddedEngine({ question, laws, knots: null }, 'expected', slots)
    const typical = stepTimeMs(laws.expected, 1) / stepTimeMs(fitted.law, 1)
    const factor = { expected: 1, slow: 1 + certain.errorFraction, fast: 1 / (1 + certain.errorFraction) }
    return withCertainSteps(engine, certain, { end, fitted, factor: typical * factor[lawCase] })
  }
  const engine = unpaddedEngine({ question, laws, knots }, lawCase, slots)
  return paddedSteps === undefined ? engine : withPaddingCost(engine, paddedSteps, end)
}

function unpaddedEngine(
  { question, laws, knots }: Pick<Replica, 'question' | 'laws' | 'knots'>,
  lawCase: LawCase,
  slots: number,
): EngineModel {
  const { fitted, stepTokens, kvTokens } = question
  const settings = { stepTokens, kvTokens, slots }
  if (knots === null) return engineModel(laws[lawCase], fitted, settings)
  const expected = decodeTable(knots, engineModel(laws.expected, fitted, settings).decodeMs)
  const decodeMs = expected.map(
    (ms, batch) => (ms * stepTimeMs(laws[lawCase], batch + 1)) / stepTimeMs(laws.expected, batch + 1),
  )
  return { ...engineModel(laws[lawCase], fitted, { ...settings, emptyMs: decodeMs[0] ?? 0 }), decodeMs }
}

function misfitOf({ errors }: Calibration): number {
  return (errors.requestsPerS ?? 0) + Math.hypot(errors.tpot.p50?.above ?? 0, errors.tpot.p50?.below ?? 0)
}

function scaledEngine(engine: EngineModel, factor: number): EngineModel {
  return {
    ...engine,
    decodeMs: engine.decodeMs.map((ms) => ms * factor),
    overheadMs: engine.overheadMs * factor,
    prefillWorkMs: (inputTokens) => engine.prefillWorkMs(inputTokens) * factor,
  }
}
