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
import { arrivalRateUnderSlo, type RateAnswer, requestsFor } from './arrival-rate.ts'
import { type EstimatedTraffic, estimateArrivalRate } from './estimate.ts'
import { predictAt } from './prediction.ts'
import type { OpenLoopAnswer, OpenLoopPoint, SloTarget } from './recommendation.ts'
import { type LawCase, lengthsRefused, type Replica, replicaEngine } from './replica.ts'
import { meanOf } from './simulate/latencies.ts'
import { drawRehearsal, type Rehearsal } from './simulate/rehearsal.ts'
import { type Binding, bindingOrder, bindingOrderInWords } from './slo-order.ts'

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
  /** Why there is no rate: stable codes; empty when there is one. */
  readonly reasons: readonly string[]
  readonly caveats: readonly string[]
}

/** Above this difference the estimate and the simulation do not tell the same story. */
const ESTIMATE_DIFFERS_FRACTION = 0.2
/** A simulation that misses measured throughput or TPOT by more than this describes another server. */
const MISFIT_FRACTION = 0.15

/** Answers for open loop. Takes a second or so: three searches of a dozen simulations each. */
export function openLoopAnswer(replica: Replica, ask: OpenLoopAsk): OpenLoopResult {
  const refusal = misfit(replica)
  const at = ask.ratesPerS.map((ratePerS) =>
    refusal === null ? predictAt(replica, { ratePerS, slots: null }) : refusedPoint(ratePerS, refusal),
  )
  if (refusal !== null) return nothing(at, { reasons: [refusal], caveats: caveatsOf(replica) })
  const slow = search(replica, 'slow', ask)
  if (slow.kind === 'below-zero-load') {
    const { target, zeroLoadMs } = slow
    const caveat =
      `slo-below-zero-load: ${sloName(target)} of ${target.maxMs} ms is infeasible at any size of the fleet: ` +
      `a request alone on a replica needs ${Math.round(zeroLoadMs)} ms`
    return nothing(at, { reasons: ['slo-below-zero-load'], caveats: [...caveatsOf(replica), caveat] })
  }
  return promised(replica, ask, { slow, at })
}

/** The name by which `limitedBy` calls an SLO. */
export function sloName({ metric, percentile }: SloTarget): string {
  return `slo:${metric}:${percentile}`
}

function promised(
  replica: Replica,
  ask: OpenLoopAsk,
  found: { readonly slow: Extract<RateAnswer, { kind: 'found' }>; readonly at: readonly OpenLoopPoint[] },
): OpenLoopResult {
  const { slow, at } = found
  const fast = search(replica, 'fast', ask)
  const expected = replicaEngine(replica, 'expected', ask.slots)
  const estimatePerS = estimateArrivalRate(
    replicaEngine(replica, 'slow', ask.slots),
    estimated(replica),
    ask.slo,
  )
  const predicted = predictAt(replica, { ratePerS: slow.ratePerS, slots: ask.slots })
  const { noise } = replica.calibration
  const limit = admissionLimit(expected, replica.traffic, {
    slo: ask.slo,
    noise,
    seed: replica.question.seed,
  })
  const inFlight = Math.ceil(slow.replay.admitted)
  const bindings = bindingsOf(replica, ask, slow)
  return {
    openLoop: {
      maxRequestsPerS: slow.ratePerS,
      interval: [
        slow.ratePerS,
        fast.kind === 'found' ? Math.max(slow.ratePerS, fast.ratePerS) : slow.ratePerS,
      ],
      estimateRequestsPerS: estimatePerS,
      utilisation: slow.ratePerS / slow.capacityPerS,
      predicted:
        predicted.ttftMs === null || predicted.tpotMs === null
          ? null
          : { ttftMs: predicted.ttftMs, tpotMs: predicted.tpotMs },
      verified: null,
      ...orderOf(bindings),
      at,
    },
    operating: predicted.decodeBatch ?? slow.replay.decodeBatch,
    // A limit below what the promised rate keeps in flight would break the promise itself.
    admissionLimit: limit === null ? null : Math.max(limit, inFlight),
    capacityPerS: slow.capacityPerS,
    residenceS: (meanOf(slow.replay.latencies.e2e) ?? 0) / 1000,
    limitedBy: slow.limitedBy === null ? 'capacity' : sloName(slow.limitedBy),
    reasons: [],
    caveats: [...caveatsOf(replica), ...estimateCaveat(estimatePerS, slow.ratePerS)],
  }
}

function search(replica: Replica, lawCase: LawCase, ask: OpenLoopAsk): RateAnswer {
  return arrivalRateUnderSlo(
    searchRehearsal(replica, ask, 1),
    replicaEngine(replica, lawCase, ask.slots),
    ask.slo,
  )
}

function searchRehearsal(replica: Replica, ask: OpenLoopAsk, fraction: number): Rehearsal {
  return drawRehearsal(
    replica.traffic,
    { requests: Math.ceil(requestsFor(ask.slo) * fraction), slots: ask.slots ?? replica.places.slots },
    { noise: replica.calibration.noise, seed: replica.question.seed },
  )
}

// One SLO is its own order; several are compared on a third of the requests, since only their order matters.
function bindingsOf(
  replica: Replica,
  ask: OpenLoopAsk,
  slow: { readonly ratePerS: number; readonly limitedBy: SloTarget | null },
): Binding[] {
  const [only, ...others] = ask.slo
  if (only === undefined) return []
  if (others.length === 0) return [{ target: only, ratePerS: slow.ratePerS, binds: slow.limitedBy !== null }]
  const order = bindingOrder(
    searchRehearsal(replica, ask, 1 / 3),
    replicaEngine(replica, 'slow', ask.slots),
    ask.slo,
  )
  // The search over all SLOs is the sharper one: whatever binds first does so at its rate.
  return order
    .map((binding) => ({
      ...binding,
      ratePerS: binding.target === slow.limitedBy ? slow.ratePerS : Math.max(binding.ratePerS, slow.ratePerS),
    }))
    .sort((left, right) => left.ratePerS - right.ratePerS || (left.target === slow.limitedBy ? -1 : 1))
}

function orderOf(bindings: readonly Binding[]): Pick<OpenLoopAnswer, 'bindingOrder' | 'bindingOrderInWords'> {
  return {
    bindingOrder: bindings.map(({ target, ratePerS }) => ({ slo: sloName(target), requestsPerS: ratePerS })),
    bindingOrderInWords: bindingOrderInWords(bindings),
  }
}

function misfit(replica: Replica): string | null {
  const lengths = lengthsRefused(replica.question)
  if (lengths !== null) return lengths
  const { requestsPerS, tpot } = replica.calibration.errors
  const worst = Math.max(requestsPerS ?? 0, tpot.p50 ?? 0)
  return worst > MISFIT_FRACTION ? 'law-misses-levels' : null
}

function estimated({ traffic }: Replica): EstimatedTraffic {
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
  const { fitted } = replica.question
  const caveats: string[] = []
  if (fitted.law.prefillSource === 'ttft') {
    caveats.push(
      'prefill-from-ttft: the work of a prompt is taken from the TTFT at the lowest level, unchunked',
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
    reasons: why.reasons,
    caveats: why.caveats,
  }
}
