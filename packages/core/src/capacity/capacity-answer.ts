/**
 * The whole answer: the batch to set (from the fitted curve), the rate that one replica then takes (from the simulation),
 * the four profiles, and the fleet with its cost for the demand. Each part stands on the one before it, and where one
 * cannot be said the later ones are null and the reason is named.
 */
import { type CurveFit, fitCurve } from '../fit/curve.ts'
import type { CurveLaw, FittedLaw } from '../fit/law.ts'
import type { LengthDistribution } from '../load/lengths.ts'
import { meanLength } from '../load/lengths.ts'
import { classesFleet } from './classes-fleet.ts'
import type { Demand, TrafficClass } from './demand.ts'
import { fleetAnswer } from './fleet.ts'
import { type OpenLoopResult, openLoopAnswer, predictionsOnly } from './open-loop.ts'
import { paddedSteps } from './padding.ts'
import { profileAnswers } from './profile-answers.ts'
import type { Purchase } from './purchase.ts'
import { type RecommendInput, recommendFromCurve } from './recommend.ts'
import type { FleetAnswer, MemoryAnswer, Recommendation } from './recommendation.ts'
import { prepareReplica, type Replica } from './replica.ts'
import { pooledReplicas } from './router-bracket.ts'
import { UNKNOWN_INPUT_TOKENS } from './simulate/engine-model.ts'
import type { ArrivalPattern } from './simulate/rehearsal.ts'
import { classesAnswer } from './traffic-classes.ts'

export interface CapacityQuestion extends RecommendInput {
  /** Traffic of a replica; null lengths: as measured. */
  readonly traffic: {
    readonly inputTokens: LengthDistribution | null
    readonly outputTokens: LengthDistribution | null
    readonly arrival: ArrivalPattern
  }
  /** Rates to predict latency at, 1/s. */
  readonly ratesPerS: readonly number[]
  readonly demand: Demand | null
  /** `max_num_batched_tokens`, when the server tells it. */
  readonly stepTokens: number | null
  readonly purchase: Purchase
}

/** Fits the levels and answers everything. Takes some seconds: most of it is simulation. */
export function answerCapacity(question: CapacityQuestion): Recommendation {
  return answerFromCurve(fitCurve(question), question)
}

/** The same from a curve that is fitted already. */
export function answerFromCurve(curve: CurveFit, question: CapacityQuestion): Recommendation {
  const recommendation = recommendFromCurve(curve, question)
  if (curve.fitted === null) return recommendation
  const replica = replicaOfCurve(curve, question, recommendation.memory)
  const result = openLoopOf(recommendation, question, replica)
  const classes = question.demand?.classes ?? null
  const fleet =
    classes === null
      ? fleetOf(question, { recommendation, result, replica })
      : classesOf(curve, question, { classes, replica })
  return {
    ...withOpenLoop(recommendation, result),
    profiles: profileAnswers(curve, question, replica),
    fleet: fleet.answer,
    caveats: [...new Set([...recommendation.caveats, ...result.caveats, ...fleet.caveats])],
  }
}

/** The replica that a curve and a question about it describe. */
export function replicaOfCurve(
  curve: CurveFit,
  question: CapacityQuestion,
  memory: MemoryAnswer | null,
): Replica {
  if (curve.fitted === null) throw new Error('a replica needs a fitted law')
  const { traffic, stepTokens, seed } = question
  const gpus = question.hardware?.gpusPerReplica ?? 1
  const inputTokens = curve.fitted.inputTokens ?? UNKNOWN_INPUT_TOKENS
  const padding = { fitted: curve.fitted, limits: [], captureSizes: question.captureSizes ?? null }
  return prepareReplica({
    fitted: replicaLaw(curve.fitted, question),
    levels: curve.levels.filter((level) => level.excluded === null).map((level) => level.reading.level),
    ...traffic,
    stepTokens,
    paddedSteps: paddedSteps(curve, padding),
    paddedBehindDelay: paddedSteps(curve, { ...padding, prefill: 'least' }),
    kvTokens: memory === null ? null : kvTokens(memory, { gpus, fitted: curve.fitted, inputTokens }),
    seed,
  })
}

/**
 * Places of the KV cache: what the catalogue says, but no less than the server was seen to use. It may hold its cache in
 * fewer bytes, or its weights, than the catalogue knows.
 */
function kvTokens(
  memory: MemoryAnswer,
  seen: { readonly gpus: number; readonly fitted: CurveLaw; readonly inputTokens: number },
): number {
  const computed = (memory.availableGib * seen.gpus * 2 ** 30) / memory.kvBytesPerToken
  const { batchMax, outputTokens } = seen.fitted
  return Math.floor(Math.max(computed, batchMax * (seen.inputTokens + outputTokens)))
}

/** The curve's law with the prompt lengths that a replica must know. */
function replicaLaw(fitted: CurveLaw, { probes }: CapacityQuestion): FittedLaw {
  const lengths = probes.map((probe) => probe.inputTokens)
  const range: readonly [number, number] = [Math.min(...lengths), Math.max(...lengths)]
  return {
    ...fitted,
    inputTokens: fitted.inputTokens ?? UNKNOWN_INPUT_TOKENS,
    ...(fitted.law.prefillSource === 'probes' ? { inputTokensRange: range } : {}),
  }
}

// Without a batch to set there is no promise to search for, but rates can be predicted all the same. An SLO below zero
// load is asked about nevertheless: the simulation says what a request alone needs.
function openLoopOf(
  recommendation: Recommendation,
  question: CapacityQuestion,
  replica: Replica,
): OpenLoopResult {
  const { ratesPerS, slo } = question
  const { batch, reasons } = recommendation
  if (batch.recommended === null && !reasons.includes('slo-below-zero-load')) {
    return predictionsOnly(replica, ratesPerS)
  }
  return openLoopAnswer(replica, { slo, slots: batch.recommended, ratesPerS })
}

/** An SLO that a lone request misses makes the whole answer infeasible, whatever batch TPOT alone would allow. */
function withOpenLoop(recommendation: Recommendation, result: OpenLoopResult): Recommendation {
  const { openLoop, operating, admissionLimit, levelWanted, reasons } = result
  const infeasible = reasons.includes('slo-below-zero-load')
  return {
    ...recommendation,
    verdict: infeasible ? 'infeasible' : recommendation.verdict,
    reasons: [...new Set([...recommendation.reasons, ...reasons])],
    batch: {
      ...recommendation.batch,
      ...(infeasible ? { recommended: null, interval: null, limitedBy: null } : {}),
      operating,
      admissionLimit,
      levelWanted: recommendation.batch.levelWanted ?? levelWanted,
    },
    openLoop,
    // Without a batch there is nothing to say of it.
    caveats: infeasible
      ? recommendation.caveats.filter((caveat) => !caveat.startsWith('batch-'))
      : recommendation.caveats,
  }
}

function fleetOf(
  question: CapacityQuestion,
  parts: {
    readonly recommendation: Recommendation
    readonly result: OpenLoopResult
    readonly replica: Replica
  },
): { readonly answer: FleetAnswer | null; readonly caveats: readonly string[] } {
  const { demand, purchase, slo } = question
  const { openLoop, capacityPerS, residenceS } = parts.result
  if (demand === null) return { answer: null, caveats: [] }
  if (openLoop.maxRequestsPerS === null || openLoop.interval === null) {
    return { answer: null, caveats: ['no-fleet-without-rate'] }
  }
  const { replica, recommendation } = parts
  const slots = recommendation.batch.recommended
  const answer = fleetAnswer({
    demand,
    hardware: purchase,
    pricePerGpuHour: purchase.pricePerGpuHour,
    priceDate: purchase.priceDate,
    apiPrice: purchase.apiPrice,
    replica: {
      ratePerS: openLoop.maxRequestsPerS,
      interval: openLoop.interval,
      capacityPerS: capacityPerS ?? openLoop.maxRequestsPerS,
      residenceS: residenceS ?? 0,
      inputTokens: meanLength(replica.traffic.inputTokens),
      outputTokens: meanLength(replica.traffic.outputTokens),
      successFraction: successFraction(question),
    },
    pooled: (load) => pooledReplicas(replica, { ...load, slots, slo }),
  })
  return { answer, caveats: answer.replicas === 0 ? ['demand-is-zero'] : [] }
}

function classesOf(
  curve: CurveFit,
  question: CapacityQuestion,
  { classes, replica }: { readonly classes: readonly TrafficClass[]; readonly replica: Replica },
): { readonly answer: FleetAnswer | null; readonly caveats: readonly string[] } {
  const { demand, purchase } = question
  if (demand === null) return { answer: null, caveats: [] }
  const answer = classesAnswer({
    replica,
    classes,
    demand,
    hardware: purchase,
    batchFor: (slo) => recommendFromCurve(curve, { ...question, slo }).batch.recommended,
  })
  const { burstFactor, spareReplicas } = demand
  const fleet = classesFleet({
    classes,
    answer,
    burstFactor,
    spareReplicas,
    purchase,
    successFraction: successFraction(question),
  })
  return { answer: fleet, caveats: fleet === null ? [`no-fleet-without-rate: ${answer.adviceInWords}`] : [] }
}

/** Mean share of requests that were ok over the levels that say so; 1 where none does. */
function successFraction({ levels }: CapacityQuestion): number {
  const known = levels.flatMap((level) => level.okFraction ?? [])
  return known.length === 0 ? 1 : known.reduce((sum, fraction) => sum + fraction, 0) / known.length
}
