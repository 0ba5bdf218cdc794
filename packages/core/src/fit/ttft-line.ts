/**
 * TTFT before saturation, t0 + t1·b: the prompt's own prefill, and its share of the steps it has to wait for. Fitted by
 * relative non-negative least squares, since TTFT spans decades along a sweep.
 */
import { nonNegativeLeastSquares } from './nnls.ts'

export interface TtftLine {
  /** t0, ms. */
  readonly baseMs: number
  /** t1, ms per decoding sequence. */
  readonly slopeMs: number
}

/** Fits t0 + t1·b. Points without a TTFT are skipped; with a single one left the line is flat. */
export function fitTtftLine(
  points: readonly { readonly batch: number; readonly ttftMs: number | null }[],
): TtftLine {
  const known = points.flatMap(({ batch, ttftMs }) =>
    ttftMs !== null && ttftMs > 0 ? [{ batch, ttftMs }] : [],
  )
  if (known.length === 0) return { baseMs: 0, slopeMs: 0 }
  const [baseMs = 0, slopeMs = 0] = nonNegativeLeastSquares({
    rows: known.map((point) => (known.length === 1 ? [1] : [1, point.batch])),
    values: known.map((point) => point.ttftMs),
    weights: known.map((point) => 1 / point.ttftMs ** 2),
  })
  return { baseMs, slopeMs }
}
