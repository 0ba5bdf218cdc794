/**
 * Where the decode batch stops growing. In a closed loop every client beyond saturation only waits: b stays at B*, and
 * the clients before their first token, N − b, grow far beyond what prefill alone explains. Two such levels identify
 * B*; one could be anything, and then B* is only known to be at least the largest b.
 *
 * Where the plan itself steps the server's batch limit, a level with more clients than places is held back by that limit:
 * it says what a full batch of that size costs, and nothing about where the server would saturate.
 */

import type { SweepPoint } from './sweep.ts'
import { fitTtftLine, type TtftLine } from './ttft-line.ts'

export interface SaturationReading {
  /** B*, mean decode batch of the levels past saturation. */
  readonly decodeBatch: number | null
  /** Index (in order of the points) of each level past saturation. */
  readonly past: readonly number[]
  /** TTFT of the levels before saturation. */
  readonly ttft: TtftLine
}

/** Reads B* off a sweep; `points` in order of their decode batch. */
export function readSaturation(points: readonly SweepPoint[]): SaturationReading {
  const batchMax = Math.max(...points.map((point) => point.batch))
  const before = points.filter((point) => point.batch < PLATEAU_FRACTION * batchMax)
  const ttft = fitTtftLine(before.length >= 2 ? before : points.slice(0, 2))
  const steered = new Set(points.map((point) => point.batchLimit)).size > 1
  const past = points.flatMap((point, index) =>
    (steered ? isHeldBack(point) : isPast(point, { ttft, batchMax })) ? [index] : [],
  )
  const batches = past.map((index) => points[index]?.batch ?? Number.NaN).sort((left, right) => left - right)
  const decodeBatch = !steered && past.length >= 2 ? (batches[Math.floor(batches.length / 2)] ?? null) : null
  const unsaturated = points.filter((_, index) => !past.includes(index))
  return {
    decodeBatch,
    past,
    ttft: fitTtftLine(unsaturated.length >= 2 ? unsaturated : points.slice(0, 2)),
  }
}

function isHeldBack({ batchLimit, concurrency }: SweepPoint): boolean {
  return batchLimit !== null && concurrency > batchLimit
}

// A plateau reads within a few per cent of its top; below 0.9 the batch is still growing.
const PLATEAU_FRACTION = 0.9

function isPast(point: SweepPoint, sweep: { ttft: TtftLine; batchMax: number }): boolean {
  if (point.ttftMs === null || point.batch < PLATEAU_FRACTION * sweep.batchMax) return false
  const expectedMs = sweep.ttft.baseMs + sweep.ttft.slopeMs * point.batch
  // Waiting twice as long as prefill explains is a queue, not noise.
  return point.ttftMs > 2 * expectedMs
}
