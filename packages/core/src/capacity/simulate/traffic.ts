/**
 * Traffic for a simulation: who arrives when, with which lengths. Everything random is drawn beforehand and kept, and
 * an open-loop traffic is drawn at rate 1: the same requests can be replayed at any rate. Comparing rates, laws or
 * batch limits on common random numbers removes most of the noise from their difference, which is what a bisection
 * needs.
 */
import { type LengthDistribution, lengthDraw } from '../../load/lengths.ts'
import type { Random } from '../../random.ts'
import { standardNormal } from '../../random.ts'

/** A source of requests. The engine asks for arrivals in order and tells when a request has ended. */
export interface Traffic {
  readonly requests: number
  readonly inputTokens: Float64Array
  readonly outputTokens: Float64Array
  /** Multiplies the prefill work of a request: spread that the token counts do not explain. */
  workFactor(request: number): number
  /** Instant of the next arrival, ms; Infinity when none will come unless a request ends. */
  nextArrivalMs(): number
  takeArrival(): number
  ended(request: number, atMs: number): void
}

/** Lengths and spread of a number of requests. */
export interface RequestDraws {
  readonly inputTokens: Float64Array
  readonly outputTokens: Float64Array
  readonly workFactor: Float64Array
}

export interface RequestShape {
  readonly inputTokens: LengthDistribution
  readonly outputTokens: LengthDistribution
  /** Standard deviation of the logarithm of the prefill work, at given lengths. */
  readonly workSigma: number
}

/** Draws the lengths of a number of requests. */
export function drawRequests(shape: RequestShape, requests: number, random: Random): RequestDraws {
  const drawInput = lengthDraw(shape.inputTokens)
  const drawOutput = lengthDraw(shape.outputTokens)
  const inputTokens = Float64Array.from({ length: requests }, () => drawInput(random))
  const outputTokens = Float64Array.from({ length: requests }, () => drawOutput(random))
  const { workSigma } = shape
  // The mean of the factor is 1: spread must not change the capacity.
  const workFactor = Float64Array.from({ length: requests }, () =>
    workSigma === 0 ? 1 : Math.exp(workSigma * standardNormal(random) - (workSigma * workSigma) / 2),
  )
  return { inputTokens, outputTokens, workFactor }
}

/**
 * Open loop: arrivals come when they come.
 *
 * @param offsetsMs instants, increasing, at mean rate 1/s
 * @param ratePerS rate at which they are replayed, > 0
 */
export function openTraffic(draws: RequestDraws, offsetsMs: Float64Array, ratePerS: number): Traffic {
  if (!(ratePerS > 0)) throw new RangeError(`ratePerS must be positive, got ${ratePerS}`)
  let next = 0
  return {
    ...lengthsOf(draws),
    nextArrivalMs: () => (next < offsetsMs.length ? (offsetsMs[next] as number) / ratePerS : Infinity),
    takeArrival: () => next++,
    ended: () => {},
  }
}

/**
 * Closed loop: `users` clients, each sending its next request `thinkMs` after the last one ended. They start spread
 * over `staggerMs`.
 */
export function closedTraffic(
  draws: RequestDraws,
  clients: {
    readonly users: number
    readonly staggerMs: number
    readonly thinkMs: (request: number) => number
  },
): Traffic {
  // A sorted list would cost O(n) per insertion where think times vary; users are few, so a scan from the back is short.
  const arrivals: number[] = []
  for (let user = 0; user < clients.users; user++) arrivals.push((user * clients.staggerMs) / clients.users)
  let head = 0
  let taken = 0
  const requests = draws.inputTokens.length
  return {
    ...lengthsOf(draws),
    nextArrivalMs: () => (taken < requests ? (arrivals[head] ?? Infinity) : Infinity),
    takeArrival: () => {
      head++
      return taken++
    },
    ended: (request, atMs) => {
      const nextMs = atMs + clients.thinkMs(request)
      let place = arrivals.length
      while (place > head && (arrivals[place - 1] as number) > nextMs) place--
      arrivals.splice(place, 0, nextMs)
    },
  }
}

function lengthsOf(
  draws: RequestDraws,
): Pick<Traffic, 'requests' | 'inputTokens' | 'outputTokens' | 'workFactor'> {
  return {
    requests: draws.inputTokens.length,
    inputTokens: draws.inputTokens,
    outputTokens: draws.outputTokens,
    workFactor: (request) => draws.workFactor[request] ?? 1,
  }
}
