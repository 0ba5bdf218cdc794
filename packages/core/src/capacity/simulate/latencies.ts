/**
 * From a simulation's log to the latencies of its requests. Only requests in the middle are counted: the first ones
 * met an empty server and the last ones a server that was running empty.
 */
import type { Random } from '../../random.ts'
import { standardNormal } from '../../random.ts'
import type { SloTarget } from '../recommendation.ts'
import type { SimulationLog } from './engine.ts'
import { gapFigure, gapLogs } from './gaps.ts'

/**
 * Spread that the law does not explain, as standard deviations of logarithms. Medians are untouched: the fitted law is
 * a typical request's, not a mean over hiccups.
 */
export interface LatencyNoise {
  readonly ttftSigma: number
  readonly tpotSigma: number
  /** Times in which the server stands still, when it has them: a request that arrives in one waits for its rest. */
  readonly stall?: Stall | null
}

export interface Stall {
  /** Share of the time that is stalled, (0, 1). */
  readonly fraction: number
  /** Length of one stall, ms. */
  readonly lengthMs: number
}

/** Latencies of the counted requests, ms. `tpot` leaves out one-token answers. */
export interface LatencyValues {
  readonly ttft: Float64Array
  readonly tpot: Float64Array
  readonly e2e: Float64Array
}

/** The latencies ascending, and as the requests came. */
export interface Latencies extends LatencyValues {
  readonly inOrder: LatencyValues
}

const PARTS = 20
/** One-sided 90 % of a normal. */
const END_Z = 1.2816

/** Which end of a simulated figure's own 80 % interval is read; `drawn`: the figure as it fell. */
export type ReadEnd = 'upper' | 'drawn' | 'lower'

/** Which requests of a traffic are counted: [from, to), and of these only some where `only` says so. */
export interface Counted {
  readonly from: number
  readonly to: number
  readonly only?: (request: number) => boolean
}

/**
 * Latencies of the counted requests. One that never got its token (the simulation gave up) counts as Infinity: it was
 * late, not absent.
 */
export function latenciesOf(
  log: SimulationLog,
  counted: Counted,
  noise: { readonly sigma: LatencyNoise; readonly random: Random },
): Latencies {
  const { arrivedAtMs, firstAtMs, endedAtMs, outputTokens } = log.requests
  const { from, to, only } = counted
  const ttft = new Float64Array(to - from)
  const tpot = new Float64Array(to - from)
  const e2e = new Float64Array(to - from)
  let size = 0
  let decoded = 0
  for (let request = from; request < to; request++) {
    if (only !== undefined && !only(request)) continue
    const tokens = outputTokens[request] as number
    const waitMs = (firstAtMs[request] as number) - (arrivedAtMs[request] as number)
    const firstMs = orInfinity(waitMs * factor(noise.sigma.ttftSigma, noise.random) + stallMs(noise))
    const decodeMs = orInfinity(
      ((endedAtMs[request] as number) - (firstAtMs[request] as number)) *
        factor(noise.sigma.tpotSigma, noise.random),
    )
    ttft[size] = firstMs
    e2e[size++] = firstMs + decodeMs
    if (tokens > 1) tpot[decoded++] = decodeMs / (tokens - 1)
  }
  const inOrder = { ttft: ttft.slice(0, size), tpot: tpot.slice(0, decoded), e2e: e2e.slice(0, size) }
  const sorted = (values: Float64Array): Float64Array => values.slice().sort()
  return { ttft: sorted(inOrder.ttft), tpot: sorted(inOrder.tpot), e2e: sorted(inOrder.e2e), inOrder }
}

/** Hyndman-Fan type 7 percentile of ascending values; null when there are none. */
export function percentileOf(ascending: Float64Array, percentile: number): number | null {
  if (ascending.length === 0) return null
  const rank = (ascending.length - 1) * (percentile / 100)
  const below = Math.floor(rank)
  const low = ascending[below] as number
  const high = ascending[Math.min(below + 1, ascending.length - 1)] as number
  // Infinity - Infinity is not a number, and equal neighbours need no interpolation.
  return low === high ? low : low + (high - low) * (rank - below)
}

export function meanOf(values: Float64Array): number | null {
  if (values.length === 0) return null
  let sum = 0
  for (const value of values) sum += value
  return sum / values.length
}

/** The figure that an SLO judges, ms; null when the simulation has no such requests. */
export function judgedMs(target: SloTarget, latencies: Latencies, log: SimulationLog): number | null {
  const { percentile } = target
  if (target.metric === 'gap') return gapFigure(log.gaps, percentile)
  const values = latencies[valuesFor(target.metric)]
  return percentile === 'mean' ? meanOf(values) : percentileOf(values, percentile)
}

/**
 * The figure that an SLO judges at an end of its interval (one-sided 90 %), ms: a simulation is a finite sample too, and
 * its luck must not sell a rate. The error comes from consecutive parts of the run, so it knows of queues that last.
 */
export function judgedEndMs(
  target: SloTarget,
  { latencies, log }: { readonly latencies: Latencies; readonly log: SimulationLog },
  end: ReadEnd,
): number | null {
  const judged = judgedMs(target, latencies, log)
  if (judged === null || end === 'drawn') return judged
  const logs = partLogs(target, latencies, log)
  const mean = meanOf(logs) ?? Number.NaN
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1)
  if (!Number.isFinite(variance)) return Infinity
  const away = END_Z * Math.sqrt(variance / logs.length)
  return judged * Math.exp(end === 'upper' ? away : -away)
}

function partLogs({ metric, percentile }: SloTarget, latencies: Latencies, log: SimulationLog): Float64Array {
  if (metric === 'gap') return gapLogs(log.gaps, percentile, PARTS)
  const inOrder = latencies.inOrder[valuesFor(metric)]
  const size = Math.max(1, Math.floor(inOrder.length / PARTS))
  return runLogs(inOrder, { size, percentile: percentile === 'mean' ? 50 : percentile })
}

// In open loop the TTFT is counted from the scheduled instant, which in a simulation is the arrival itself. Text is
// taken to be visible from its first token and JSON to be complete with its last.
function valuesFor(metric: Exclude<SloTarget['metric'], 'gap'>): keyof LatencyValues {
  if (metric === 'tpot') return 'tpot'
  return metric === 'e2e' || metric === 'validJson' ? 'e2e' : 'ttft'
}

/**
 * A percentile over each of the consecutive runs of `size` requests, as logarithms: how a measurement of so many
 * requests scatters, queues that outlast requests included.
 */
export function runLogs(
  inOrder: Float64Array,
  { size, percentile }: { readonly size: number; readonly percentile: number },
): Float64Array {
  const runs = Math.floor(inOrder.length / size)
  return Float64Array.from({ length: runs }, (_, run) =>
    Math.log(percentileOf(inOrder.slice(run * size, (run + 1) * size).sort(), percentile) ?? Number.NaN),
  )
}

function factor(sigma: number, random: Random): number {
  return sigma === 0 ? 1 : Math.exp(sigma * standardNormal(random))
}

function stallMs({ sigma, random }: { readonly sigma: LatencyNoise; readonly random: Random }): number {
  const { stall } = sigma
  if (stall === undefined || stall === null || random() >= stall.fraction) return 0
  return stall.lengthMs * random()
}

function orInfinity(value: number): number {
  return Number.isNaN(value) ? Infinity : value
}
