import { paddedBatch } from '@loadcurve/core/fit/capture-sizes'
import type { CurveFit } from '@loadcurve/core/fit/curve'
import { fitCurve } from '@loadcurve/core/fit/curve'
import type { CurveLaw } from '@loadcurve/core/fit/law'
import type { Level } from '@loadcurve/core/fit/level'
import { latency, levelWith } from '../measured.ts'

export interface PaddedServer {
  readonly concurrencies: readonly number[]
  /** Sizes to which the server pads; none: it does not. */
  readonly captured?: readonly number[]
  readonly ttftMs?: number
}

/** A sweep of a server whose steps take 10 + 0.25 pad(b) ms, and 200 of them an answer; prefill is next to nothing. */
export function paddedSweep({ concurrencies, captured = [], ttftMs = 10 }: PaddedServer): Level[] {
  return concurrencies.map((concurrency) => {
    const tpotMs = 10 + 0.25 * paddedBatch(captured, concurrency)
    const requestsPerS = (1000 * concurrency) / (ttftMs + 199 * tpotMs)
    return levelWith({
      label: `${concurrency} clients`,
      concurrency,
      requestsPerS,
      outputTokensPerS: 200 * requestsPerS,
      inputTokens: 500,
      outputTokens: 200,
      requests: 1000,
      ttftMs: latency({ mean: ttftMs }),
      tpotMs: latency({ mean: tpotMs }),
    })
  })
}

export function paddedCurve(server: PaddedServer): { readonly curve: CurveFit; readonly fitted: CurveLaw } {
  return curveOf(paddedSweep(server))
}

export function curveOf(levels: readonly Level[]): { readonly curve: CurveFit; readonly fitted: CurveLaw } {
  const curve = fitCurve({
    levels,
    inputTokens: null,
    outputTokens: null,
    experts: null,
    probes: [],
    seed: 1,
    draws: 50,
  })
  if (curve.fitted === null) throw new Error(`no fit: ${curve.refusals.join()}`)
  return { curve, fitted: curve.fitted }
}
