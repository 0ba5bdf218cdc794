/** From a plan's `workload.arrival` and a level's rate to the arrival process of a step. */
import type { ArrivalProcess } from './arrivals.ts'

/** `workload.arrival` of a resolved plan, a trace file already read. */
export interface PlanArrival {
  readonly process: 'constant' | 'poisson' | 'gamma' | 'ramp' | 'trace'
  readonly cv: number
  /** `ramp`: rates at both ends of the step, as fractions of the level's. */
  readonly rampFromFraction: number
  readonly rampToFraction: number
  readonly trace: { readonly arrivals: readonly { readonly atS: number }[] | null } | null
}

/**
 * The arrival process of one open-loop step.
 *
 * A trace keeps its shape, not its speed: time is stretched so that its mean rate is the level's.
 *
 * @param level its rate, 1/s, and the length of the step over which a ramp rises, ms
 * @throws RangeError when a trace has fewer than two arrivals or no duration
 */
export function arrivalProcessOf(
  arrival: PlanArrival,
  level: { readonly ratePerS: number; readonly stepMs: number },
): ArrivalProcess {
  const { ratePerS } = level
  switch (arrival.process) {
    case 'constant':
    case 'poisson':
      return { process: arrival.process, ratePerS }
    case 'gamma':
      return { process: 'gamma', ratePerS, cv: arrival.cv }
    case 'ramp':
      return {
        process: 'ramp',
        fromPerS: ratePerS * arrival.rampFromFraction,
        toPerS: ratePerS * arrival.rampToFraction,
        rampMs: level.stepMs,
      }
    case 'trace':
      return { process: 'trace', offsetsMs: stretched(arrival, ratePerS), repeat: true }
  }
}

function stretched(arrival: PlanArrival, ratePerS: number): number[] {
  const instantsS = (arrival.trace?.arrivals ?? []).map((each) => each.atS)
  const firstS = instantsS[0] ?? 0
  const lastS = instantsS.at(-1) ?? 0
  if (!(lastS > firstS)) {
    throw new RangeError(
      `a trace needs two arrivals or more and a duration, got ${instantsS.length} arrivals`,
    )
  }
  const msPerTraceS = (1000 * (instantsS.length - 1)) / ((lastS - firstS) * ratePerS)
  return instantsS.map((atS) => (atS - firstS) * msPerTraceS)
}
