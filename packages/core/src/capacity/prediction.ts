/**
 * Latency at an arrival rate, with bounds. The bounds answer the question that somebody with a stopwatch asks: where
 * will a test of two hundred requests land? Three independent uncertainties are added in squares, as logarithms:
 *
 *   the law       the same traffic against the slow and the fast end of the fit, the model's own error in speed included;
 *                 near saturation a little less speed is a lot more queue, and this shows it
 *   the model     what was left between simulation and measurement at the sweep's own levels
 *   the sample    the scatter of the percentile over runs of two hundred requests
 */

import { UTILISATION_MAX } from './arrival-rate.ts'
import type { SidedError } from './calibration.ts'
import type { BoundedLatency, OpenLoopPoint } from './recommendation.ts'
import { type Replica, replicaEngine } from './replica.ts'
import { gapShareAtBatch } from './simulate/gaps.ts'
import { percentileOf, runLogs } from './simulate/latencies.ts'
import { capacityPerS, drawRehearsal, type Rehearsal, type Replay, replayAt } from './simulate/rehearsal.ts'

const PREDICTED_REQUESTS = 12_000
const TEST_REQUESTS = 200
/** Two-sided 90 % of a normal. */
const Z = 1.6449
/** No comparison at some levels proves a model better than this. */
const MODEL_ERROR_MIN = 0.03
/** A table without percentiles leaves the spread of single requests to the simulation alone. */
const UNKNOWN_ERROR: SidedError = { above: 0.1, below: 0.1 }
/** Tokens made at a batch beyond the measured range may be this share before the answer is an extrapolation. */
const BEYOND_RANGE_MAX_FRACTION = 0.05

/** What a replica is asked at: requests/s, and the limit of its batch (null: as measured). */
export interface PredictedLoad {
  readonly ratePerS: number
  readonly slots: number | null
}

/** The rehearsal that all predictions of a replica share. */
export function predictionRehearsal(replica: Replica, slots: number | null): Rehearsal {
  return drawRehearsal(
    replica.traffic,
    { requests: PREDICTED_REQUESTS, slots: slots ?? replica.places.slots },
    { noise: replica.calibration.noise, seed: replica.question.seed },
  )
}

/** Predicts p50 and p95 of TTFT (from the scheduled instant) and TPOT, or says why it does not. */
export function predictAt(replica: Replica, load: PredictedLoad): OpenLoopPoint {
  const { ratePerS, slots } = load
  if (!(ratePerS > 0)) throw new RangeError(`ratePerS must be positive, got ${ratePerS}`)
  const rehearsal = predictionRehearsal(replica, slots)
  const expected = replicaEngine(replica, 'expected', slots)
  const slow = replicaEngine(replica, 'slow', slots)
  const utilisation = ratePerS / capacityPerS(rehearsal, expected)
  if (ratePerS / capacityPerS(rehearsal, slow) > UTILISATION_MAX) {
    return refused(ratePerS, { utilisation, reason: 'beyond-capacity' })
  }
  const replays = {
    expected: replayAt(rehearsal, expected, ratePerS),
    slow: replayAt(rehearsal, slow, ratePerS),
    fast: replayAt(rehearsal, replicaEngine(replica, 'fast', slots), ratePerS),
  }
  // Share of all tokens that were made with every place taken.
  const fullFraction = gapShareAtBatch(replays.expected.log.gaps, expected.slots)
  if (slots === null && !replica.places.seen && fullFraction > BEYOND_RANGE_MAX_FRACTION) {
    return refused(ratePerS, { utilisation, reason: 'beyond-measured-range' })
  }
  return {
    requestsPerS: ratePerS,
    utilisation,
    decodeBatch: replays.expected.decodeBatch,
    ttftMs: boundedLatency(replica, replays, 'ttft'),
    tpotMs: boundedLatency(replica, replays, 'tpot'),
    refused: null,
  }
}

function refused(
  requestsPerS: number,
  why: { readonly utilisation: number; readonly reason: string },
): OpenLoopPoint {
  return {
    requestsPerS,
    utilisation: why.utilisation,
    decodeBatch: null,
    ttftMs: null,
    tpotMs: null,
    refused: why.reason,
  }
}

type Replays = Readonly<Record<'expected' | 'slow' | 'fast', Replay>>

function boundedLatency(replica: Replica, replays: Replays, metric: 'ttft' | 'tpot'): BoundedLatency | null {
  const p50 = bounded(replica, replays, { metric, percentile: 50 })
  const p95 = bounded(replica, replays, { metric, percentile: 95 })
  if (p50 === null || p95 === null) return null
  return { p50: p50.valueMs, p50Bound: p50.bound, p95: p95.valueMs, p95Bound: p95.bound }
}

function bounded(
  replica: Replica,
  replays: Replays,
  figure: { readonly metric: 'ttft' | 'tpot'; readonly percentile: 50 | 95 },
): { valueMs: number; bound: readonly [number, number] } | null {
  const { metric, percentile } = figure
  const at = (replay: Replay): number => percentileOf(replay.latencies[metric], percentile) ?? Number.NaN
  const valueMs = at(replays.expected)
  const inOrder = replays.expected.latencies.inOrder[metric]
  const runs = runLogs(inOrder, { size: TEST_REQUESTS, percentile }).sort()
  if (!Number.isFinite(valueMs) || !Number.isFinite(runs.at(-1))) return null
  const errors = replica.calibration.errors[metric]
  const known = (percentile === 50 ? errors.p50 : errors.p95) ?? UNKNOWN_ERROR
  const side = (replay: Replay, error: number, runsPercentile: number): number => {
    const law = Math.log(at(replay) / valueMs)
    const model = Z * Math.max(MODEL_ERROR_MIN, error)
    const sample = (percentileOf(runs, runsPercentile) ?? 0) - Math.log(valueMs)
    return Math.hypot(law, model, sample)
  }
  return {
    valueMs,
    bound: [
      valueMs * Math.exp(-side(replays.fast, known.below, 5)),
      valueMs * Math.exp(side(replays.slow, known.above, 95)),
    ],
  }
}
