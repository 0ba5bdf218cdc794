/**
 * Prefill work of one prompt, P(I) = p0 + p1·I + p2·I² ms: a fixed cost, the matrix products over I tokens, and
 * attention over pairs of them. A straight line misses by 29 % between 256 and 16,000 tokens. Measured with probes
 * that ask for a single output token, so that TTFT is prefill and nothing else.
 */
import { nonNegativeLeastSquares } from './nnls.ts'

/** Requests with `max_tokens` 1 at one prompt length, on an idle server. */
export interface PrefillProbe {
  readonly inputTokens: number
  /** Mean TTFT, ms. */
  readonly ttftMs: number
}

export interface PrefillPolynomial {
  readonly p0: number
  readonly p1: number
  readonly p2: number
}

/**
 * Fits P(I) by relative non-negative least squares.
 *
 * @returns null when the probes cover fewer than three prompt lengths: then p2 and p1 are not told apart
 */
export function fitPrefill(probes: readonly PrefillProbe[]): PrefillPolynomial | null {
  const usable = probes.filter((probe) => probe.inputTokens > 0 && probe.ttftMs > 0)
  if (new Set(usable.map((probe) => probe.inputTokens)).size < 3) return null
  const [p0 = 0, p1 = 0, p2 = 0] = nonNegativeLeastSquares({
    rows: usable.map(({ inputTokens }) => [1, inputTokens, inputTokens ** 2]),
    values: usable.map((probe) => probe.ttftMs),
    weights: usable.map((probe) => 1 / probe.ttftMs ** 2),
  })
  return { p0, p1, p2 }
}

/** P at a prompt length, ms. */
export function prefillMs(polynomial: PrefillPolynomial, inputTokens: number): number {
  return polynomial.p0 + polynomial.p1 * inputTokens + polynomial.p2 * inputTokens ** 2
}
