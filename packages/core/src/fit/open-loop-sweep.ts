/**
 * The pipeline for a table of arrival rates. There the decode batch follows from TPOT (b = λ·(O − 1)·TPOT), so TPOT
 * cannot be regressed on it: the law is fitted against the rate, in the closed form of `open-loop-tpot`, which is the
 * linear step time in disguise. No other form is tried, and B* is never seen.
 */
import type { Random } from '../random.ts'
import type { StepLaw } from './law.ts'
import { disturbances, drawSigma, type NoiseScale, noiseScale } from './noise.ts'
import { fitOpenLoopTpot, openLoopTpotMs } from './open-loop-tpot.ts'
import type { PipelineOptions } from './pipeline.ts'
import { summarise } from './select.ts'
import type { SweepPoint } from './sweep.ts'
import { fitTtftLine } from './ttft-line.ts'

export interface OpenLoopSweepFit {
  readonly law: StepLaw
  readonly converged: boolean
  /** Prediction at each rate from the other rates, ms. */
  readonly looMs: readonly number[]
  readonly looErrorFraction: number
  readonly noise: NoiseScale
}

/** A point of an open-loop sweep. */
export type RatePoint = SweepPoint & { readonly ratePerS: number }

/** Fits TPOT against the arrival rate; at least four points in order of their rate. */
export function fitOpenLoopSweep(input: {
  points: readonly RatePoint[]
  outputTokens: number
  prefill: PipelineOptions['prefill']
}): OpenLoopSweepFit {
  const { points, outputTokens } = input
  const { law, converged } = fitLaw(input)
  const looMs = points.map((point, index) => {
    const others = points.filter((_, other) => other !== index)
    return openLoopTpotMs(fitLaw({ ...input, points: others }).law, { ...point, outputTokens })
  })
  const residuals = points.map(
    (point) => point.stepMs / openLoopTpotMs(law, { ratePerS: point.ratePerS, outputTokens }) - 1,
  )
  return {
    law,
    converged,
    looMs,
    looErrorFraction: summarise(points, looMs).looErrorFraction,
    noise: noiseScale({ residuals, parameters: 2, priorFraction: 0.02 }),
  }
}

/** Parametric bootstrap of the same fit. */
export function bootstrapOpenLoop(input: {
  fit: OpenLoopSweepFit
  points: readonly RatePoint[]
  outputTokens: number
  prefill: PipelineOptions['prefill']
  inflation: number
  draws: number
  random: Random
}): StepLaw[] {
  const { fit, points, outputTokens, draws, random } = input
  return Array.from({ length: draws }, () => {
    const sigma = input.inflation * drawSigma(fit.noise, random)
    const moods = disturbances(points.length, { sigma, random })
    const replicate = points.map((point, index) => ({
      ...point,
      stepMs: openLoopTpotMs(fit.law, { ...point, outputTokens }) * Math.exp(moods[index] ?? 0),
    }))
    return fitLaw({ ...input, points: replicate }).law
  })
}

function fitLaw(input: {
  points: readonly RatePoint[]
  outputTokens: number
  prefill: PipelineOptions['prefill']
}): { law: StepLaw; converged: boolean } {
  const { points, outputTokens, prefill } = input
  const fit = fitOpenLoopTpot(
    points.map((point) => ({ ratePerS: point.ratePerS, tpotMs: point.stepMs })),
    outputTokens,
  )
  const ttft = fitTtftLine(points)
  const law: StepLaw = {
    form: 'linear',
    baseMs: fit.baseMs,
    slopeMs: fit.slopeMs,
    shapeMs: 0,
    expertFraction: null,
    knots: [],
    saturationBatch: null,
    ttftBaseMs: ttft.baseMs,
    ttftSlopeMs: ttft.slopeMs,
    ...prefill,
  }
  return { law, converged: fit.converged }
}
