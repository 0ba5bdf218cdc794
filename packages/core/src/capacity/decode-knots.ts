/**
 * The time of a decode step read off the measured levels, one by one, without a law in between.
 *
 * A fitted curve is smooth, and a server need not be: concave at its first requests, or in stairs. And a fit of TPOT
 * against the mean decode batch is off where prompts are long and clients few, because a client never waits for its own
 * prefill and always sees itself in the batch. Each closed-loop level says more than its mean batch:
 *
 *   R = TTFT + D, D = (O - 1) TPOT        one cycle of a client, in which each of the N - 1 others does one prefill
 *   n = (N - 1) D / (R - W)               how many of these fall into its decode: none do while it is itself prefilled
 *   b = 1 + (N - 1) D / R                 the batch that it sees, itself included; never more than the places
 *   decode(b) = (D - n W) / (O - 1)       what is left when the others' prefill work W is taken out
 *
 * Levels that contradict each other are pooled, so the steps never fall with the batch.
 */
import { fitIsotonic } from '../fit/isotonic.ts'
import { type MeasuredPoint, typicalMs } from './measured-point.ts'

export interface DecodeKnot {
  readonly batch: number
  readonly stepMs: number
}

/** Levels within this much of one another in batch are one level measured twice. */
const SAME_BATCH_FRACTION = 0.03

/**
 * Decode steps at the batches of the levels, ascending.
 *
 * @param server output tokens O, prefill work W of one prompt (ms), and the places
 */
export function decodeKnots(
  points: readonly MeasuredPoint[],
  server: { readonly outputTokens: number; readonly workMs: number; readonly slots: number },
): DecodeKnot[] {
  const knots = points
    .flatMap((point) => knotOf(point, server))
    .sort((left, right) => left.batch - right.batch)
  const merged = merge(knots)
  return fitIsotonic(
    merged.map((knot) => ({ ...knot, weight: 1 / knot.stepMs ** 2, standardErrorFraction: null })),
  ).knots.map(({ batch, stepMs }) => ({ batch, stepMs }))
}

/**
 * Decode steps for b = 0 ... slots: straight lines between the knots. Towards 0 the first line goes on, but not below
 * half the first knot; beyond the last knot the fitted decode's increments are added.
 */
export function decodeTable(knots: readonly DecodeKnot[], fittedMs: Float64Array): Float64Array {
  const first = knots[0] as DecodeKnot
  const last = knots.at(-1) as DecodeKnot
  const second = knots[1] ?? last
  const emptyMs = Math.min(first.stepMs, Math.max(first.stepMs / 2, lineAt(first, second, 0)))
  const line = first.batch > 0 ? [{ batch: 0, stepMs: emptyMs }, ...knots] : knots
  const fittedAt = (batch: number): number => {
    const below = Math.min(Math.floor(batch), fittedMs.length - 1)
    const above = Math.min(below + 1, fittedMs.length - 1)
    const low = fittedMs[below] as number
    return low + ((fittedMs[above] as number) - low) * (batch - below)
  }
  let before = 0
  return fittedMs.map((fitted, batch) => {
    const stepMs =
      batch > last.batch
        ? last.stepMs + Math.max(0, fitted - fittedAt(last.batch))
        : interpolated(line, batch)
    before = Math.max(before, stepMs)
    return before
  })
}

function knotOf(
  point: MeasuredPoint,
  server: { readonly outputTokens: number; readonly workMs: number; readonly slots: number },
): DecodeKnot[] {
  const tpotMs = typicalMs(point.tpotMs)
  const ttftMs = point.ttftMs.mean ?? point.ttftMs.p50
  if (tpotMs === null || ttftMs === null) return []
  const steps = server.outputTokens - 1
  const others = point.concurrency - 1
  const decodeMs = steps * tpotMs
  const prefills = (others * decodeMs) / (decodeMs + Math.max(0, ttftMs - server.workMs))
  const batch = Math.min(server.slots, 1 + (others * decodeMs) / (decodeMs + ttftMs))
  const stepMs = (decodeMs - prefills * server.workMs) / steps
  return stepMs > 0 ? [{ batch, stepMs }] : []
}

function merge(sorted: readonly DecodeKnot[]): DecodeKnot[] {
  const groups: DecodeKnot[][] = []
  for (const knot of sorted) {
    const group = groups.at(-1)
    const start = group?.[0]
    if (group !== undefined && start !== undefined && knot.batch <= start.batch * (1 + SAME_BATCH_FRACTION)) {
      group.push(knot)
    } else groups.push([knot])
  }
  return groups.map((group) => ({
    batch: group.reduce((sum, knot) => sum + knot.batch, 0) / group.length,
    stepMs: group.reduce((sum, knot) => sum + knot.stepMs, 0) / group.length,
  }))
}

function interpolated(line: readonly DecodeKnot[], batch: number): number {
  let left = line[0] as DecodeKnot
  for (const right of line) {
    if (right.batch >= batch) return right.batch === left.batch ? right.stepMs : lineAt(left, right, batch)
    left = right
  }
  return left.stepMs
}

function lineAt(left: DecodeKnot, right: DecodeKnot, batch: number): number {
  if (right.batch === left.batch) return left.stepMs
  return left.stepMs + ((right.stepMs - left.stepMs) * (batch - left.batch)) / (right.batch - left.batch)
}
