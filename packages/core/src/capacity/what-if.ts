/**
 * What if the promise were another, the traffic more, the price lower? The full answer takes seconds, most of them fits
 * and simulations; a person who moves a slider wants it at once. So what is slow is done beforehand and kept: the curve
 * of every statistic in the table with its draws, and the simulated rate of the promise that was asked first.
 *
 * The batch then follows exactly, by the same rule on the same draws. The rate follows by the instant estimate, corrected
 * by what the estimate got wrong where it was simulated; the fleet and its cost follow from the rate. An answer that
 * will be bought by should be asked in full: the caveat says so.
 */
import type { CurveFit } from '../fit/curve.ts'
import type { LengthDistribution } from '../load/lengths.ts'
import { meanLength } from '../load/lengths.ts'
import { PROFILES } from '../slo/profiles.ts'
import { BETWEEN_LEVELS } from './between-levels.ts'
import { type CapacityQuestion, replicaOfCurve } from './capacity-answer.ts'
import type { Demand } from './demand.ts'
import { endRatePerS, estimateArrivalRate, estimateLatency } from './estimate.ts'
import { fleetAnswer } from './fleet.ts'
import { memoryVerdict } from './memory-answer.ts'
import { estimatedTraffic } from './open-loop.ts'
import { paddedBatchOf } from './padded-batch.ts'
import type { Purchase } from './purchase.ts'
import { batchRange, chooseBatch, fitSettings } from './recommend.ts'
import type { FleetAnswer, LevelWanted, Recommendation, SloTarget, Verdict } from './recommendation.ts'
import { lengthsRefused, type Replica, replicaEngine } from './replica.ts'
import { type SloLimit, sloLimits } from './slo-limits.ts'

/** What is kept between the questions about one curve. */
export interface PreparedWhatIf {
  readonly curve: CurveFit
  readonly question: CapacityQuestion
  readonly replica: Replica
  /** Limits of every statistic that was prepared; their `maxMs` is replaced. */
  readonly limits: readonly SloLimit[]
  /** Simulated over estimated rate, where both are known; else 1. */
  readonly correction: number
}

/** What is different. What is left out stays as it was asked. */
export interface WhatIfChange {
  readonly slo?: readonly SloTarget[]
  readonly demand?: Demand | null
  readonly purchase?: Purchase
  readonly inputTokens?: LengthDistribution
  readonly outputTokens?: LengthDistribution
}

export interface WhatIfAnswer {
  readonly schemaVersion: 1
  readonly verdict: Verdict
  readonly reasons: readonly string[]
  readonly batch: {
    readonly recommended: number | null
    readonly interval: readonly [number, number] | null
    readonly limitedBy: string | null
    readonly operating: number | null
    readonly levelWanted: LevelWanted | null
  }
  /** The corrected estimate of what one replica takes, 1/s. */
  readonly requestsPerS: number | null
  readonly utilisation: number | null
  readonly fleet: FleetAnswer | null
  readonly caveats: readonly string[]
}

/** Does the slow part: a second or so. Null where there is no fit to ask. */
export function prepareWhatIf(
  curve: CurveFit,
  question: CapacityQuestion,
  answered: Recommendation,
): PreparedWhatIf | null {
  if (curve.fitted === null) return null
  const settings = fitSettings(question)
  const { limits } = sloLimits(curve, { fitted: curve.fitted, slo: statistics(question), settings })
  const { openLoop } = answered
  const estimate = openLoop?.estimateRequestsPerS ?? null
  const simulated = openLoop?.maxRequestsPerS ?? null
  return {
    curve,
    question,
    replica: replicaOfCurve(curve, question, answered.memory),
    limits,
    correction: estimate === null || simulated === null || estimate === 0 ? 1 : simulated / estimate,
  }
}

/** Answers another question of a prepared curve, in milliseconds. */
export function whatIf(prepared: PreparedWhatIf, change: WhatIfChange): WhatIfAnswer {
  const slo = change.slo ?? prepared.question.slo
  const limits = limitsFor(prepared, slo)
  if (limits === null) return refused('inconclusive', 'percentile-not-in-table')
  const replica = withLengths(prepared.replica, change)
  const lengths = lengthsRefused(replica.question)
  if (lengths !== null) return refused('inconclusive', lengths)
  const { caveats, ...batch } = batchFor(prepared, limits)
  if (batch.recommended === null) return { ...refused('inconclusive', BETWEEN_LEVELS), caveats }
  if (batch.recommended < 1) return refused('inconclusive', 'slo-undecided')
  const engine = replicaEngine(replica, 'slow', batch.recommended)
  const traffic = estimatedTraffic(replica)
  const capacityPerS = endRatePerS(engine, engine.slots, traffic)
  const estimatePerS = estimateArrivalRate(engine, traffic, slo)
  if (estimatePerS === 0) return refused('infeasible', 'slo-below-zero-load')
  const requestsPerS = Math.min(estimatePerS * prepared.correction, 0.98 * capacityPerS)
  const at = estimateLatency(engine, traffic, requestsPerS)
  const residenceS = (at.ttftMs(50) + (traffic.outputTokens - 1) * at.tpotMs(50)) / 1000
  return {
    schemaVersion: 1,
    verdict: 'recommended',
    reasons: [],
    batch: { ...batch, operating: at.decodeBatch },
    requestsPerS,
    utilisation: requestsPerS / capacityPerS,
    fleet: fleetFor(prepared, { change, requestsPerS, capacityPerS, residenceS, replica }),
    caveats: [
      ...caveats,
      'rate-estimated: the rate is the instant estimate, corrected at the simulated promise; ask in full before you buy',
    ],
  }
}

/** The statistics that people ask about: those of the question and of all profiles, and the means. */
function statistics({ slo }: CapacityQuestion): SloTarget[] {
  const means: SloTarget[] = [
    { metric: 'tpot', percentile: 'mean', maxMs: 1 },
    { metric: 'tpot', percentile: 50, maxMs: 1 },
  ]
  const all = [
    ...slo,
    ...Object.values(PROFILES).flatMap((profile): readonly SloTarget[] => profile.slo),
    ...means,
  ]
  return all.filter((target, index) => all.findIndex((other) => isSameStatistic(other, target)) === index)
}

function isSameStatistic(left: SloTarget, right: SloTarget): boolean {
  return left.metric === right.metric && left.percentile === right.percentile
}

// A promise on TTFT or E2E does not bind the batch; only those on steps need their curve.
function limitsFor(prepared: PreparedWhatIf, slo: readonly SloTarget[]): SloLimit[] | null {
  const steps = slo.filter(({ metric }) => metric === 'tpot' || metric === 'gap')
  const limits = steps.flatMap((target) => {
    const known = prepared.limits.find((limit) => isSameStatistic(limit.slo, target))
    return known === undefined ? [] : [{ ...known, slo: target, maxMs: target.maxMs }]
  })
  return limits.length === steps.length ? limits : null
}

function batchFor({ curve, question }: PreparedWhatIf, limits: readonly SloLimit[]) {
  if (curve.fitted === null) throw new Error('what-if needs a fitted curve')
  const { fitted } = curve
  const kv = memoryVerdict(question.hardware, fitted).memory?.sequencesMean ?? null
  const range = batchRange(curve, { fitted, kv })
  const choice = chooseBatch(fitted, { range, limits })
  const { limitedBy } = choice
  return {
    ...paddedBatchOf(curve, { fitted, choice, range, limits, captureSizes: question.captureSizes }),
    limitedBy,
  }
}

function withLengths(replica: Replica, { inputTokens, outputTokens }: WhatIfChange): Replica {
  const lengths = {
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
  }
  return {
    ...replica,
    question: { ...replica.question, ...lengths },
    traffic: { ...replica.traffic, ...lengths },
  }
}

function fleetFor(
  { question }: PreparedWhatIf,
  parts: {
    readonly change: WhatIfChange
    readonly requestsPerS: number
    readonly capacityPerS: number
    readonly residenceS: number
    readonly replica: Replica
  },
): FleetAnswer | null {
  const { change, requestsPerS, capacityPerS, residenceS, replica } = parts
  const demand = change.demand === undefined ? question.demand : change.demand
  // Classes take simulations too.
  if (demand === null || (demand.classes ?? null) !== null) return null
  const purchase = change.purchase ?? question.purchase
  return fleetAnswer({
    demand,
    hardware: purchase,
    pricePerGpuHour: purchase.pricePerGpuHour,
    priceDate: purchase.priceDate,
    apiPrice: purchase.apiPrice,
    replica: {
      ratePerS: requestsPerS,
      interval: [requestsPerS, requestsPerS],
      capacityPerS,
      residenceS,
      inputTokens: meanLength(replica.traffic.inputTokens),
      outputTokens: meanLength(replica.traffic.outputTokens),
      successFraction: 1,
    },
    // The router's bracket takes simulations.
    pooled: () => null,
  })
}

function refused(verdict: Verdict, reason: string): WhatIfAnswer {
  return {
    schemaVersion: 1,
    verdict,
    reasons: [reason],
    batch: { recommended: null, interval: null, limitedBy: null, operating: null, levelWanted: null },
    requestsPerS: null,
    utilisation: null,
    fleet: null,
    caveats: [],
  }
}
