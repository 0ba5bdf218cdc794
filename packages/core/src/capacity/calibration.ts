/**
 * How far the simulation of a law may be trusted: it is first made to predict what has been measured. Every closed-loop
 * level of the sweep is simulated with as many clients, and what comes out is laid beside the level's own columns.
 *
 * Two things are learnt. The spread that a level shows beyond the simulated one is the server's own noise, which the
 * predictions for open loop then carry. And what remains as a difference is model error, which widens their bounds.
 * A table that has only means cannot tell the spread; then the noise is zero and the caller adds a caveat.
 */
import { meanLength } from '../load/lengths.ts'
import { seededRandom } from '../random.ts'
import { type MeasuredPoint, typicalMs } from './measured-point.ts'
import { simulateEngine } from './simulate/engine.ts'
import type { EngineModel } from './simulate/engine-model.ts'
import {
  type Latencies,
  type LatencyNoise,
  latenciesOf,
  meanOf,
  percentileOf,
  type Stall,
} from './simulate/latencies.ts'
import type { ReplicaTraffic } from './simulate/rehearsal.ts'
import { closedTraffic, drawRequests } from './simulate/traffic.ts'

export interface Calibration {
  readonly noise: LatencyNoise
  /** What is left of ln(measured / simulated) over the levels; null where no level has the figure. */
  readonly errors: {
    /** Typical size, rms. */
    readonly requestsPerS: number | null
    readonly ttft: { readonly p50: SidedError | null; readonly p95: SidedError | null }
    readonly tpot: { readonly p50: SidedError | null; readonly p95: SidedError | null }
  }
  /** Median of ln(measured / simulated) TTFT over the levels below saturation, where that is above 0; else 0. */
  readonly ttftExcess: number
  /** False when the table has no p95 columns. */
  readonly spreadKnown: boolean
}

/** Rms of the errors on each side: measured above the simulation, and below it. */
export interface SidedError {
  readonly above: number
  readonly below: number
}

/** A level's simulated twin. */
export interface ClosedLoopReplay {
  readonly requestsPerS: number
  readonly decodeBatch: number
  readonly latencies: Latencies
}

/** ln(p95 / p50) of a lognormal is this many sigmas. */
const SIGMAS_AT_P95 = 1.6449
/**
 * A client needs a moment between an answer's last token and its next request. However short, it makes the request
 * miss the engine step that begins at that instant, so every closed-loop TTFT waits for one step.
 */
const CLIENT_TURNAROUND_MS = 1
/** Less than this is noise: the mean of a skewed distribution is a little above its median. */
const STALL_MIN_FRACTION = 0.02
const REQUESTS_PER_CLIENT = 40
const REQUESTS_MIN = 1200
const REQUESTS_MAX = 6000

/** Prefill spread of a lone client: with one request at a time, all of the TTFT's spread is its own work. */
export function workSigmaOf(points: readonly MeasuredPoint[]): number {
  const lone = points.find((point) => point.concurrency === 1)
  return lone === undefined ? 0 : (sigmaOf(lone.ttftMs.p50, lone.ttftMs.p95) ?? 0)
}

/**
 * Stalls of the server (a garbage collection, a neighbour), seen where nothing else can slow a request down: one client
 * alone. The share of time lost is (mean - p50) / mean of its TPOT, and one stall is what it adds to a whole answer,
 * (p95 - p50) (O - 1). A closed loop hides them from TTFT, since clients that wait for a stalled server send nothing.
 */
export function stallOf(points: readonly MeasuredPoint[], traffic: ReplicaTraffic): Stall | null {
  const lone = points.find((point) => point.concurrency === 1)
  const { mean, p50, p95 } = lone?.tpotMs ?? { mean: null, p50: null, p95: null }
  if (mean === null || p50 === null || p95 === null) return null
  const fraction = (mean - p50) / mean
  const lengthMs = (p95 - p50) * (meanLength(traffic.outputTokens) - 1)
  return fraction > STALL_MIN_FRACTION && lengthMs > 0 ? { fraction, lengthMs } : null
}

/** Compares an engine with the measured levels. */
export function calibrate(
  engine: EngineModel,
  traffic: ReplicaTraffic,
  measured: { readonly points: readonly MeasuredPoint[]; readonly seed: number },
): Calibration {
  const { points, seed } = measured
  const silent = { ttftSigma: 0, tpotSigma: 0 }
  const bare = points.map((point) =>
    closedLoopReplay(engine, traffic, { clients: point.concurrency, noise: silent, seed }),
  )
  const below = points.filter((point) => point.concurrency <= engine.slots)
  const noise: LatencyNoise = {
    ttftSigma: typicalExcess(below.map((point, index) => excess(point.ttftMs, bare[index]?.latencies.ttft))),
    tpotSigma: typicalExcess(points.map((point, index) => excess(point.tpotMs, bare[index]?.latencies.tpot))),
  }
  const twins = points.map((point) =>
    closedLoopReplay(engine, traffic, { clients: point.concurrency, noise, seed }),
  )
  const ratios = (figure: (point: MeasuredPoint, twin: ClosedLoopReplay) => number | null): number[] =>
    points.flatMap((point, index) => figure(point, twins[index] as ClosedLoopReplay) ?? [])
  const ttftRatios = ratios((point, twin) => typicalError(point.ttftMs, twin.latencies.ttft))
  return {
    // A closed loop never sends into a stall, so the twins have none; open loop does.
    noise: { ...noise, stall: stallOf(points, traffic) },
    errors: {
      requestsPerS: rms(ratios((point, twin) => Math.log(point.requestsPerS / twin.requestsPerS))),
      ttft: {
        p50: sided(ttftRatios),
        p95: sided(
          ratios((point, twin) => logRatio(point.ttftMs.p95, percentileOf(twin.latencies.ttft, 95))),
        ),
      },
      tpot: {
        p50: sided(ratios((point, twin) => typicalError(point.tpotMs, twin.latencies.tpot))),
        p95: sided(
          ratios((point, twin) => logRatio(point.tpotMs.p95, percentileOf(twin.latencies.tpot, 95))),
        ),
      },
    },
    ttftExcess: Math.max(0, median(ttftRatios.slice(0, below.length))),
    spreadKnown: points.some((point) => point.ttftMs.p95 !== null && point.tpotMs.p95 !== null),
  }
}

/** Simulates a closed loop of so many clients without think time. */
export function closedLoopReplay(
  engine: EngineModel,
  traffic: ReplicaTraffic,
  run: { readonly clients: number; readonly noise: LatencyNoise; readonly seed: number },
): ClosedLoopReplay {
  const size = Math.min(REQUESTS_MAX, Math.max(REQUESTS_MIN, run.clients * REQUESTS_PER_CLIENT))
  const leadIn = Math.max(Math.ceil(size / 10), 3 * run.clients)
  const total = leadIn + size + run.clients
  const draws = drawRequests(traffic, total, seededRandom(run.seed, 'closed-loop'))
  const residenceMs =
    engine.prefillWorkMs(draws.inputTokens[0] ?? 1) + (engine.decodeMs[1] ?? 1) * (draws.outputTokens[0] ?? 1)
  const log = simulateEngine(
    engine,
    closedTraffic(draws, {
      users: run.clients,
      staggerMs: residenceMs,
      thinkMs: () => CLIENT_TURNAROUND_MS + engine.overheadMs,
    }),
  )
  const counted = { from: leadIn, to: leadIn + size }
  const endings = Float64Array.from(log.requests.endedAtMs).sort()
  const elapsedMs = (endings[counted.to - 1] as number) - (endings[counted.from - 1] as number)
  const random = seededRandom(run.seed, 'latency-noise')
  return {
    requestsPerS: (size * 1000) / elapsedMs,
    decodeBatch: log.decodeBatchMs / log.elapsedMs,
    latencies: latenciesOf(log, counted, { sigma: run.noise, random }),
  }
}

// What a level's spread has beyond its twin's; variances of logarithms add.
function excess(column: MeasuredPoint['ttftMs'], simulated: Float64Array | undefined): number | null {
  const seen = sigmaOf(column.p50, column.p95)
  if (seen === null || simulated === undefined) return null
  const explained = sigmaOf(percentileOf(simulated, 50), percentileOf(simulated, 95)) ?? 0
  return Math.sqrt(Math.max(0, seen * seen - explained * explained))
}

// The median over levels: one disturbed level must not make all of them noisy.
function typicalExcess(values: readonly (number | null)[]): number {
  return median(values.filter((value) => value !== null))
}

function median(values: readonly number[]): number {
  return percentileOf(Float64Array.from(values).sort(), 50) ?? 0
}

function sided(ratios: readonly number[]): SidedError | null {
  const above = rms(ratios.map((ratio) => Math.max(0, ratio)))
  const below = rms(ratios.map((ratio) => Math.max(0, -ratio)))
  return above === null || below === null ? null : { above, below }
}

function typicalError(column: MeasuredPoint['ttftMs'], simulated: Float64Array): number | null {
  const twin = column.p50 === null ? meanOf(simulated) : percentileOf(simulated, 50)
  return logRatio(typicalMs(column), twin)
}

function sigmaOf(p50: number | null, p95: number | null): number | null {
  return p50 === null || p95 === null ? null : Math.log(Math.max(1, p95 / p50)) / SIGMAS_AT_P95
}

function logRatio(measured: number | null, simulated: number | null): number | null {
  return measured === null || simulated === null ? null : Math.log(measured / simulated)
}

function rms(values: readonly number[]): number | null {
  if (values.length === 0) return null
  return Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length)
}
