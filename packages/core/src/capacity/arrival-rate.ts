/**
 * lambda_slo: the largest arrival rate at which a replica keeps every SLO.
 *
 * Found by replaying one rehearsal at different rates and bisecting. More traffic never makes a request faster, and on
 * common random numbers the simulated percentile rises with the rate but for crumbs, so bisection finds the crossing.
 * The search runs from nearly no load, where a missed SLO is missed at any size of the fleet, to the capacity, beyond
 * which the queue grows for ever whatever a finite simulation shows.
 */
import type { SloTarget } from './recommendation.ts'
import type { EngineModel } from './simulate/engine-model.ts'
import { judgedEndMs, judgedMs, type ReadEnd } from './simulate/latencies.ts'
import { capacityPerS, type Rehearsal, type Replay, replayAt } from './simulate/rehearsal.ts'

/** Past this share of the capacity a finite simulation says nothing about a queue's tail. */
export const UTILISATION_MAX = 0.98
/** Nearly no load: requests hardly ever meet. */
export const UTILISATION_MIN = 0.005
/** Relative width at which the bisection stops, as a share of the capacity. */
const RESOLUTION_FRACTION = 0.004

/** Requests needed for the percentiles of some SLOs: about 1,200 in the tail of the sharpest one. */
export function requestsFor(slo: readonly SloTarget[]): number {
  const sharpest = Math.max(50, ...slo.map(({ percentile }) => (percentile === 'mean' ? 50 : percentile)))
  return Math.min(40_000, Math.max(12_000, Math.ceil(1200 / (1 - sharpest / 100))))
}

export type RateAnswer =
  | {
      readonly kind: 'found'
      readonly ratePerS: number
      readonly capacityPerS: number
      /** The SLO that is missed just above the rate; null when the capacity is the limit. */
      readonly limitedBy: SloTarget | null
      readonly replay: Replay
    }
  /** Missed with nearly no load: no number of replicas helps. */
  | { readonly kind: 'below-zero-load'; readonly target: SloTarget; readonly zeroLoadMs: number }

/**
 * Searches for lambda_slo. Without an SLO the answer is the largest utilisation that a simulation can vouch for.
 *
 * @param end of the simulated percentiles' own intervals; `upper` for what is promised
 */
export function arrivalRateUnderSlo(
  rehearsal: Rehearsal,
  engine: EngineModel,
  slo: readonly SloTarget[],
  end: ReadEnd = 'upper',
): RateAnswer {
  return largestRate(rehearsal, engine, (replay) => firstMissed(slo, replay, end))
}

/**
 * The largest rate at which nothing is missed.
 *
 * @param missedIn the promise that a replay misses, or null
 */
export function largestRate(
  rehearsal: Rehearsal,
  engine: EngineModel,
  missedIn: (replay: Replay) => SloTarget | null,
): RateAnswer {
  const capacity = capacityPerS(rehearsal, engine)
  const idle = replayAt(rehearsal, engine, capacity * UTILISATION_MIN)
  const impossible = missedIn(idle)
  if (impossible !== null) {
    const zeroLoadMs = judgedMs(impossible, idle.latencies, idle.log) as number
    return { kind: 'below-zero-load', target: impossible, zeroLoadMs }
  }
  const missedPerS = capacity * UTILISATION_MAX
  const top = replayAt(rehearsal, engine, missedPerS)
  const limitedBy = missedIn(top)
  if (limitedBy === null)
    return { kind: 'found', ratePerS: missedPerS, replay: top, capacityPerS: capacity, limitedBy }
  const crossing = bisectRate(
    (ratePerS) => replayAt(rehearsal, engine, ratePerS),
    missedIn,
    { kept: { ratePerS: capacity * UTILISATION_MIN, replay: idle }, missedPerS, limitedBy },
    capacity * RESOLUTION_FRACTION,
  )
  return { kind: 'found', ...crossing, capacityPerS: capacity }
}

/** Between a rate at which nothing is missed and one at which something is. */
export interface RateBracket {
  readonly kept: { readonly ratePerS: number; readonly replay: Replay }
  readonly missedPerS: number
  readonly limitedBy: SloTarget
}

/** Halves a bracket until it is narrow enough, 1/s; the rate that is kept, and what is missed just above it. */
export function bisectRate(
  replay: (ratePerS: number) => Replay,
  missedIn: (replay: Replay) => SloTarget | null,
  bracket: RateBracket,
  widthPerS: number,
): { readonly ratePerS: number; readonly replay: Replay; readonly limitedBy: SloTarget } {
  let { kept, missedPerS, limitedBy } = bracket
  while (missedPerS - kept.ratePerS > widthPerS) {
    const ratePerS = (kept.ratePerS + missedPerS) / 2
    const tried = replay(ratePerS)
    const missed = missedIn(tried)
    if (missed === null) kept = { ratePerS, replay: tried }
    else {
      missedPerS = ratePerS
      limitedBy = missed
    }
  }
  return { ...kept, limitedBy }
}

/** A replay with so few requests that they hardly ever meet. */
export function nearlyIdle(rehearsal: Rehearsal, engine: EngineModel): Replay {
  return replayAt(rehearsal, engine, capacityPerS(rehearsal, engine) * UTILISATION_MIN)
}

/** The SLO that a replay misses by the largest factor, or null when it keeps them all. */
export function firstMissed(
  slo: readonly SloTarget[],
  replay: Pick<Replay, 'latencies' | 'log'>,
  end: ReadEnd = 'upper',
): SloTarget | null {
  let worst: SloTarget | null = null
  let worstRatio = 1
  for (const target of slo) {
    const ratio = (judgedEndMs(target, replay, end) ?? 0) / target.maxMs
    if (ratio > worstRatio) {
      worst = target
      worstRatio = ratio
    }
  }
  return worst
}
