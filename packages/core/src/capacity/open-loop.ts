/**
 * The answer for independent users: what rate one replica takes under the SLO, how it then runs, and what latency to
 * expect at rates that somebody asks about.
 *
 * The rate that is promised is that of the slow end of the fit (upper-bound parameters); its interval reaches to the
 * fast end. The simulation decides. The instant estimate stands beside it, and where the two differ by more than a
 * fifth the answer says so.
 */

import { meanLength } from '../load/lengths.ts'
import { admissionLimit } from './admission.ts'
import { type EstimatedTraffic, estimateArrivalRate } from './estimate.ts'
import { predictAt } from './prediction.ts'
import { type PromisedRate, promiseBindings, promisedRate, rateAt } from './promise.ts'
import type { LevelWanted, OpenLoopAnswer, OpenLoopPoint, SloTarget } from './recommendation.ts'
import { lengthsRefused, type Replica, replicaEngine } from './replica.ts'
import { meanOf } from './simulate/latencies.ts'
import { type Binding, bindingOrderInWords, sloInWords } from './slo-order.ts'

export interface OpenLoopAsk {
  readonly slo: readonly SloTarget[]
  /** The batch limit that will be set; null: as measured. */
  readonly slots: number | null
  /** Rates to predict latency at, for the server as it was measured, 1/s. */
  readonly ratesPerS: readonly number[]
}

export interface OpenLoopResult {
  readonly openLoop: OpenLoopAnswer
  /** Mean decode batch at the promised rate. */
  readonly operating: number | null
  readonly admissionLimit: number | null
  /** With the batch always full, requests/s; and the mean time of a request in the replica at the promised rate, s. */
  readonly capacityPerS: number | null
  readonly residenceS: number | null
  /** `slo:<metric>:<percentile>` or `capacity`; null without an answer. */
  readonly limitedBy: string | null
  /** The level that would tell the rate; null: none is missing. */
  readonly levelWanted: LevelWanted | null
  /** Why there is no rate: stable codes; empty when there is one. */
  readonly reasons: readonly string[]
  readonly caveats: readonly string[]
}

/** Share of the requests for figures that only stand beside the answer. */
export const BESIDE_EFFORT = 1 / 3
/** Above this difference the estimate and the simulation do not tell the same story. */
const ESTIMATE_DIFFERS_FRACTION = 0.2
/** A smaller excess than this is within the noise of a table. */
const TTFT_EXCESS_SAID = 0.1
/** A simulation that misses measured throughput or TPOT by more than this describes another server. */
const MISFIT_FRACTION = 0.15

/** Predictions alone, for levels that carry no promise. */
export function predictionsOnly(replica: Replica, ratesPerS: readonly number[]): OpenLoopResult {
  return nothing(predictions(replica, ratesPerS), { reasons: [], caveats: caveatsOf(replica) })
}

/** Answers for open loop. Takes a second or so: three searches of a dozen simulations each. */
export function openLoopAnswer(replica: Replica, ask: OpenLoopAsk): OpenLoopResult {
  const refusal = misfit(replica)
  const at = predictions(replica, ask.ratesPerS)
  if (refusal !== null) return nothing(at, { reasons: [refusal], caveats: caveatsOf(replica) })
  const rate = promisedRate(replica, { ...ask, effort: 1 })
  if (rate.kind === 'found') return promised(replica, ask, { rate, at })
  if (rate.kind === 'undecided') {
    const { reason, caveats, levelWanted } = rate
    return {
      ...nothing(at, { reasons: [reason], caveats: [...caveatsOf(replica), ...caveats] }),
      levelWanted,
    }
  }
  const caveats = [...caveatsOf(replica), zeroLoadCaveat(rate)]
  return nothing(at, { reasons: ['slo-below-zero-load'], caveats })
}

/** The name by which `limitedBy` calls an SLO. */
export function sloName({ metric, percentile }: SloTarget): string {
  return `slo:${metric}:${percentile}`
}

function promised(
  replica: Replica,
  ask: OpenLoopAsk,
  found: { readonly rate: Extract<PromisedRate, { kind: 'found' }>; readonly at: readonly OpenLoopPoint[] },
): OpenLoopResult {
  const { rate, at } = found
  const { slo, slots } = ask
  const { ratePerS } = rate
  const fast = rateAt(replica, 'fast', { ...ask, effort: BESIDE_EFFORT })
  const estimatePerS = estimateArrivalRate(
    replicaEngine(replica, 'slow', slots),
    estimatedTraffic(replica),
    slo,
  )
  const predicted = predictAt(replica, { ratePerS, slots })
  const bindings = promiseBindings(replica, { ...ask, effort: BESIDE_EFFORT }, rate)
  return {
    openLoop: {
      maxRequestsPerS: ratePerS,
      interval: [ratePerS, fast.kind === 'found' ? Math.max(ratePerS, fast.ratePerS) : ratePerS],
      estimateRequestsPerS: estimatePerS,
      utilisation: ratePerS / rate.capacityPerS,
      predicted:
        predicted.ttftMs === null || predicted.tpotMs === null
          ? null
          : { ttftMs: predicted.ttftMs, tpotMs: predicted.tpotMs },
      verified: null,
      ...orderOf(bindings),
      at,
    },
    operating: predicted.decodeBatch ?? rate.replay.decodeBatch,
    admissionLimit: limitFor(replica, ask, rate.replay.admitted),
    capacityPerS: rate.capacityPerS,
    residenceS: (meanOf(rate.replay.latencies.e2e) ?? 0) / 1000,
    limitedBy: rate.limitedBy === null ? 'capacity' : sloName(rate.limitedBy),
    levelWanted: rate.levelWanted,
    reasons: [],
    caveats: [...caveatsOf(replica), ...rate.caveats, ...estimateCaveat(estimatePerS, ratePerS)],
  }
}

// A limit below what the promised rate keeps in flight would break the promise itself.
function limitFor(replica: Replica, { slo, slots }: OpenLoopAsk, inFlight: number): number | null {
  const { noise } = replica.calibration
  const limit = admissionLimit(replicaEngine(replica, 'expected', slots), replica.traffic, {
    slo,
    noise,
    seed: replica.question.seed,
  })
  return limit === null ? null : Math.max(limit, Math.ceil(inFlight))
}

function orderOf(bindings: readonly Binding[]): Pick<OpenLoopAnswer, 'bindingOrder' | 'bindingOrderInWords'> {
  return {
    bindingOrder: bindings.map(({ target, ratePerS }) => ({ slo: sloName(target), requestsPerS: ratePerS })),
    bindingOrderInWords: bindingOrderInWords(bindings),
  }
}

function predictions(replica: Replica, ratesPerS: readonly number[]): OpenLoopPoint[] {
  const refusal = misfit(replica)
  return ratesPerS.map((ratePerS) =>
    refusal === null ? predictAt(replica, { ratePerS, slots: null }) : refusedPoint(ratePerS, refusal),
  )
}

/** Why a replica cannot be asked about open loop, or null. */
export function misfit(replica: Replica): string | null {
  const lengths = lengthsRefused(replica.question)
  if (lengths !== null) return lengths
  const { requestsPerS, tpot } = replica.calibration.errors
  const worst = Math.max(requestsPerS ?? 0, tpot.p50?.above ?? 0, tpot.p50?.below ?? 0)
  return worst > MISFIT_FRACTION ? 'law-misses-levels' : null
}

/** A replica’s traffic in the few figures that the instant estimate takes. */
export function estimatedTraffic({ traffic }: Replica): EstimatedTraffic {
  const { arrival, inputTokens, workSigma } = traffic
  const inputCv =
    inputTokens.distribution === 'empirical' ? 1 : Math.hypot(inputTokens.stdev / inputTokens.mean, workSigma)
  const arrivalCv = { constant: 0, poisson: 1, trace: 1, gamma: arrival.process === 'gamma' ? arrival.cv : 1 }
  return {
    inputTokens: meanLength(inputTokens),
    outputTokens: meanLength(traffic.outputTokens),
    arrivalCv: arrivalCv[arrival.process],
    workCv: inputCv,
  }
}

function zeroLoadCaveat(rate: Extract<PromisedRate, { kind: 'below-zero-load' }>): string {
  const { target, zeroLoadMs } = rate
  return (
    `slo-below-zero-load: ${sloInWords(target)} is infeasible at any size of the fleet: ` +
    `a request alone on a replica needs ${Math.round(zeroLoadMs)} ms`
  )
}

function estimateCaveat(estimatePerS: number, simulatedPerS: number): string[] {
  const difference = estimatePerS / simulatedPerS - 1
  if (Math.abs(difference) <= ESTIMATE_DIFFERS_FRACTION) return []
  const percent = Math.round(Math.abs(difference) * 100)
  const side = difference > 0 ? 'above' : 'below'
  return [
    `estimate-differs: the instant estimate is ${percent} % ${side} the simulation; the simulation is the answer`,
  ]
}

function caveatsOf(replica: Replica): string[] {
  const caveats: string[] = []
  const { ttftExcess } = replica.calibration
  if (ttftExcess > TTFT_EXCESS_SAID) {
    const percent = Math.round(100 * (Math.exp(ttftExcess) - 1))
    caveats.push(
      `ttft-above-simulation: below saturation the measured TTFT is ${percent} % longer than the simulated one; ` +
        'TTFT promises are judged that much harder',
    )
  }
  if (replica.calibration.errors.tpot.p50 !== null && !replica.calibration.spreadKnown) {
    caveats.push(
      'spread-not-in-table: without p95 columns the spread between requests is the simulation’s alone',
    )
  }
  if (!replica.places.seen) {
    caveats.push(
      'saturation-not-seen: the number of places is unknown; rates that would need more are refused',
    )
  }
  return caveats
}

function refusedPoint(requestsPerS: number, reason: string): OpenLoopPoint {
  return { requestsPerS, utilisation: null, decodeBatch: null, ttftMs: null, tpotMs: null, refused: reason }
}

function nothing(
  at: readonly OpenLoopPoint[],
  why: { readonly reasons: readonly string[]; readonly caveats: readonly string[] },
): OpenLoopResult {
  return {
    openLoop: {
      maxRequestsPerS: null,
      interval: null,
      estimateRequestsPerS: null,
      utilisation: null,
      predicted: null,
      verified: null,
      ...orderOf([]),
      at,
    },
    operating: null,
    admissionLimit: null,
    capacityPerS: null,
    residenceS: null,
    limitedBy: null,
    levelWanted: null,
    reasons: why.reasons,
    caveats: why.caveats,
  }
}
