/**
 * A rehearsal: the same drawn requests, played against an engine at any arrival rate. What differs between two replays
 * is only what was changed (the rate, the law, the limit), so that a search over rates sees a smooth curve although
 * every single figure carries the luck of the draw.
 */
import { arrivals } from '../../load/arrivals.ts'
import type { LengthDistribution } from '../../load/lengths.ts'
import { seededRandom } from '../../random.ts'
import { type SimulationLog, simulateEngine } from './engine.ts'
import type { EngineModel } from './engine-model.ts'
import { type Counted, type Latencies, type LatencyNoise, latenciesOf } from './latencies.ts'
import { drawRequests, openTraffic, type RequestDraws } from './traffic.ts'

/** The pattern of arrivals, its rate left open. `cv` is that of the gaps; a trace is stretched to the rate. */
export type ArrivalPattern =
  | { readonly process: 'constant' }
  | { readonly process: 'poisson' }
  | { readonly process: 'gamma'; readonly cv: number }
  | { readonly process: 'trace'; readonly offsetsMs: readonly number[] }

/** The traffic that one replica gets. */
export interface ReplicaTraffic {
  readonly inputTokens: LengthDistribution
  readonly outputTokens: LengthDistribution
  readonly arrival: ArrivalPattern
  /** Spread of the prefill work that prompt lengths do not explain: standard deviation of its logarithm. */
  readonly workSigma: number
}

export interface Rehearsal {
  readonly draws: RequestDraws
  /** Arrival instants at mean rate 1/s, ms. */
  readonly offsetsMs: Float64Array
  readonly counted: Counted
  readonly noise: LatencyNoise
  readonly seed: number
}

export interface Replay {
  readonly log: SimulationLog
  readonly latencies: Latencies
  /** Time means over the simulation. */
  readonly decodeBatch: number
  readonly admitted: number
}

/** Requests before and after the counted ones, as fractions of them: the server fills up, and is kept full. */
const LEAD_IN_FRACTION = 0.15
const LEAD_OUT_FRACTION = 0.05

/**
 * Draws a rehearsal.
 *
 * @param size requests that are counted, and the places of the engine: the lead-in is long enough to fill them thrice
 */
export function drawRehearsal(
  traffic: ReplicaTraffic,
  size: { readonly requests: number; readonly slots: number },
  chance: { readonly noise: LatencyNoise; readonly seed: number },
): Rehearsal {
  const leadIn = Math.ceil(
    Math.max(size.requests * LEAD_IN_FRACTION, Math.min(3 * size.slots, size.requests)),
  )
  const leadOut = Math.ceil(size.requests * LEAD_OUT_FRACTION)
  const total = leadIn + size.requests + leadOut
  return {
    draws: drawRequests(traffic, total, seededRandom(chance.seed, 'requests')),
    offsetsMs: unitOffsets(traffic.arrival, { total, seed: chance.seed }),
    counted: { from: leadIn, to: leadIn + size.requests },
    noise: chance.noise,
    seed: chance.seed,
  }
}

/** Plays a rehearsal against an engine at a rate, 1/s. */
export function replayAt(rehearsal: Rehearsal, engine: EngineModel, ratePerS: number): Replay {
  const traffic = openTraffic(rehearsal.draws, rehearsal.offsetsMs, ratePerS)
  const log = simulateEngine(engine, traffic)
  // The same deviates in every replay: noise must not move the comparison either.
  const random = seededRandom(rehearsal.seed, 'latency-noise')
  return {
    log,
    latencies: latenciesOf(log, rehearsal.counted, { sigma: rehearsal.noise, random }),
    decodeBatch: log.decodeBatchMs / log.elapsedMs,
    admitted: log.admittedMs / log.elapsedMs,
  }
}

/**
 * Capacity of an engine for this traffic, requests/s: all requests wait at the start, and what leaves while the engine
 * is full is counted. No arrival process takes more.
 */
export function capacityPerS(rehearsal: Rehearsal, engine: EngineModel): number {
  const everythingAtOnce = openTraffic(rehearsal.draws, rehearsal.offsetsMs, Number.MAX_VALUE)
  const { requests } = simulateEngine(engine, everythingAtOnce)
  const endings = Float64Array.from(requests.endedAtMs).sort()
  const { from, to } = rehearsal.counted
  const elapsedMs = (endings[to - 1] as number) - (endings[from - 1] ?? 0)
  return ((to - from) * 1000) / elapsedMs
}

function unitOffsets(
  pattern: ArrivalPattern,
  size: { readonly total: number; readonly seed: number },
): Float64Array {
  const random = seededRandom(size.seed, 'arrivals')
  const process =
    pattern.process === 'trace'
      ? ({ process: 'trace', offsetsMs: unitTrace(pattern.offsetsMs), repeat: true } as const)
      : ({ ...pattern, ratePerS: 1 } as const)
  const source = arrivals(process, random)
  return Float64Array.from({ length: size.total }, () => source.next().value as number)
}

function unitTrace(offsetsMs: readonly number[]): number[] {
  const firstMs = offsetsMs[0] ?? 0
  const spanMs = (offsetsMs.at(-1) ?? 0) - firstMs
  if (!(spanMs > 0))
    throw new RangeError(`a trace needs two arrivals and a duration, got ${offsetsMs.length}`)
  return offsetsMs.map((offsetMs) => ((offsetMs - firstMs) * 1000 * (offsetsMs.length - 1)) / spanMs)
}
