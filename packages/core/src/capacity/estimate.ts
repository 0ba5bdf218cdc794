/**
 * The instant estimate of what a replica takes: formulas instead of a simulation, for what-if and as a cross-check.
 *
 * A request waits twice. First for the prefill of the prompts before it: an M/G/1 queue whose service is one mixed
 * step (or several, when prompts are cut into chunks), with the Pollaczek-Khinchine wait. Then for a slot, when all are
 * taken: a birth-death chain whose service rate depends on the number in service, with an exponential tail of rate
 * mu_B - lambda. Bursty arrivals stretch both waits by (Ca^2 + Cs^2)/2 (Allen-Cunneen). TPOT follows from the
 * occupancy at the percentile that is asked for.
 *
 * Each piece is rough; together they are right within some tens of per cent, in microseconds.
 */
import { birthDeathState } from './queue.ts'
import type { SloTarget } from './recommendation.ts'
import { chunks, type EngineModel, loneTtftMs } from './simulate/engine-model.ts'

export interface EstimatedTraffic {
  readonly inputTokens: number
  readonly outputTokens: number
  /** Coefficient of variation of the gaps between arrivals; 1 for Poisson. */
  readonly arrivalCv: number
  /** Coefficient of variation of the prefill work. */
  readonly workCv: number
}

export interface LatencyEstimate {
  readonly utilisation: number
  readonly decodeBatch: number
  /** Latency at a percentile of the requests, ms. Infinity when the queue has no steady state. */
  readonly ttftMs: (percentile: number) => number
  readonly tpotMs: (percentile: number) => number
}

/** Waiting places of the chain: enough that blocking does not matter below 98 % of the capacity. */
const QUEUE_MAX = 500

/** Mean step time with b in decode, other requests' prefill included, ms: the fitted itl(b) again. */
export function meanStepMs(engine: EngineModel, batch: number, traffic: EstimatedTraffic): number {
  const perSequenceMs = engine.prefillWorkMs(traffic.inputTokens) / Math.max(1, traffic.outputTokens - 1)
  return (engine.decodeMs[Math.min(batch, engine.slots)] as number) + batch * perSequenceMs
}

/** Rate at which requests end with n in service, 1/s. */
export function endRatePerS(engine: EngineModel, inService: number, traffic: EstimatedTraffic): number {
  const decodeMs = (traffic.outputTokens - 1) * meanStepMs(engine, inService, traffic)
  return (1000 * inService) / (decodeMs + mixedMs(engine, inService, traffic))
}

/** Latencies at an arrival rate, by formula. */
export function estimateLatency(
  engine: EngineModel,
  traffic: EstimatedTraffic,
  ratePerS: number,
): LatencyEstimate {
  const endRate = (n: number): number => endRatePerS(engine, n, traffic)
  const capacityPerS = endRate(engine.slots)
  const utilisation = ratePerS / capacityPerS
  if (utilisation >= 1) {
    return { utilisation, decodeBatch: engine.slots, ttftMs: () => Infinity, tpotMs: () => Infinity }
  }
  const state = birthDeathState({
    ratePerS,
    servers: engine.slots,
    queueMax: QUEUE_MAX,
    endRatePerS: endRate,
  })
  const burst = (traffic.arrivalCv ** 2 + 1) / 2
  const prefill = prefillWait(engine, { traffic, ratePerS, batch: state.meanInService })
  const slotTailPerS = capacityPerS - ratePerS
  const slotWaitMs = (percentile: number): number => {
    const beyond = state.waitProbability / (1 - percentile / 100)
    return beyond <= 1 ? 0 : (burst * 1000 * Math.log(beyond)) / slotTailPerS
  }
  return {
    utilisation,
    decodeBatch: state.meanInService,
    ttftMs: (percentile) => prefill(percentile) + slotWaitMs(percentile),
    tpotMs: (percentile) => meanStepMs(engine, occupancy(state.inService, percentile), traffic),
  }
}

/**
 * lambda_slo by the estimate, 1/s: bisection on the formulas.
 *
 * @returns 0 when an SLO is missed with nearly no load
 */
export function estimateArrivalRate(
  engine: EngineModel,
  traffic: EstimatedTraffic,
  slo: readonly SloTarget[],
): number {
  const capacityPerS = endRatePerS(engine, engine.slots, traffic)
  const keeps = (ratePerS: number): boolean => {
    const estimate = estimateLatency(engine, traffic, ratePerS)
    return slo.every((target) => estimatedMs(target, estimate, traffic) <= target.maxMs)
  }
  let [kept, missed] = [0, capacityPerS * 0.98]
  if (keeps(missed)) return missed
  for (let halving = 0; halving < 24; halving++) {
    const middle = (kept + missed) / 2
    if (keeps(middle)) kept = middle
    else missed = middle
  }
  return kept < capacityPerS * 1e-5 ? 0 : kept
}

function estimatedMs(target: SloTarget, estimate: LatencyEstimate, traffic: EstimatedTraffic): number {
  // A mean lies near the 60th percentile of the skewed distributions here.
  const percentile = target.percentile === 'mean' ? 60 : target.percentile
  const { metric } = target
  if (metric === 'tpot' || metric === 'gap') return estimate.tpotMs(percentile)
  const ttftMs = estimate.ttftMs(percentile)
  if (metric !== 'e2e' && metric !== 'validJson') return ttftMs
  return ttftMs + (traffic.outputTokens - 1) * estimate.tpotMs(percentile)
}

// Time in service of a prompt with b others in decode: its work, and the decode share of each step that it is in.
function mixedMs(engine: EngineModel, batch: number, traffic: EstimatedTraffic): number {
  const decodeMs = engine.decodeMs[Math.min(Math.round(batch), engine.slots)] as number
  return engine.prefillWorkMs(traffic.inputTokens) + chunks(engine, traffic.inputTokens) * decodeMs
}

/** TTFT at a percentile from the prefill queue alone: residual step, queue of prompts, own prefill. */
function prefillWait(
  engine: EngineModel,
  load: { readonly traffic: EstimatedTraffic; readonly ratePerS: number; readonly batch: number },
): (percentile: number) => number {
  const { traffic, ratePerS, batch } = load
  const serviceMs = mixedMs(engine, batch, traffic)
  const busy = (ratePerS * serviceMs) / 1000
  if (busy >= 1) return () => Infinity
  const ownMs = Math.max(engine.overheadMs + serviceMs, loneTtftMs(engine, traffic.inputTokens))
  const variability = (traffic.arrivalCv ** 2 + traffic.workCv ** 2) / 2
  const meanQueueMs = (busy * serviceMs * variability) / (1 - busy)
  const residualMs = (engine.decodeMs[Math.min(Math.round(batch), engine.slots)] as number) / 2
  return (percentile) => {
    // Those who wait (a fraction `busy`) wait exponentially long, to the order of this approximation.
    const beyond = busy / (1 - percentile / 100)
    const queueMs = beyond <= 1 ? 0 : (meanQueueMs / busy) * Math.log(beyond)
    return ownMs + residualMs + queueMs
  }
}

/** The number in service at a percentile of time. */
function occupancy(inService: readonly number[], percentile: number): number {
  let below = 0
  for (const [n, probability] of inService.entries()) {
    below += probability
    if (below >= percentile / 100) return n
  }
  return inService.length - 1
}
