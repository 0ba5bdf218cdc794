/**
 * Seeded parametric bootstrap: what other sweeps of the same server would have led to.
 *
 * A replicate takes the fitted law as the truth, disturbs TPOT and TTFT of every level by relative noise, rebuilds
 * throughput and decode batch from Little's law, and goes through the whole pipeline again, model choice included.
 *
 * Where leave-one-out errors are larger than the noise explains, the law itself is wrong somewhere, and the noise is
 * inflated by their ratio. An isotonic fit has no law to be wrong: there the step time is bent at random between the
 * levels instead. A level's own standard error, when it came with one, is added.
 */
import { type Random, standardNormal } from '../random.ts'
import { closedLoopPoint } from './closed-loop.ts'
import { bentKnots } from './isotonic.ts'
import { type StepLaw, stepTimeMs } from './law.ts'
import { disturbances, drawSigma, type NoiseScale, noiseScale } from './noise.ts'
import { fitSweep, type PipelineOptions, queuesUnexplained, type SweepFit } from './pipeline.ts'
import { coefficientsInUse, MODEL_FLOOR_FRACTION } from './step-forms.ts'
import type { Sweep, SweepPoint } from './sweep.ts'

const TTFT_PRIOR_FRACTION = 0.05
const PLATEAU_PRIOR_FRACTION = 0.01

/** Noise of a fitted sweep: TPOT, TTFT before saturation, and the plateau. */
export interface SweepNoise {
  readonly tpot: NoiseScale
  readonly ttft: NoiseScale
  readonly plateau: NoiseScale
}

/**
 * Replicates of a fit.
 *
 * @param inflation ≥ 1: leave-one-out error over what the noise explains
 * @param draws number of replicates
 */
export function bootstrapLaws(input: {
  sweep: Sweep
  fit: SweepFit
  noise: SweepNoise
  inflation: number
  draws: number
  random: Random
  options: PipelineOptions
}): StepLaw[] {
  const { sweep, fit, draws, options } = input
  const family = fit.law.form === 'isotonic' ? 'isotonic' : 'parametric'
  const fitted = sweep.points.map((point, index) =>
    fittedPoint(fit, { point, index, outputTokens: sweep.outputTokens }),
  )
  return Array.from({ length: draws }, () => {
    const points = replicate({ ...input, fitted })
    const { law } = fitSweep({ ...sweep, points }, { ...options, family, tolerance: 1e-5 })
    return family === 'isotonic' ? { ...law, knots: bentKnots(law.knots, input.random) } : law
  })
}

/** Residuals of a fit and the noise they amount to. */
export function sweepNoise(sweep: Sweep, fit: SweepFit): SweepNoise {
  const fitted = sweep.points.map((point, index) =>
    fittedPoint(fit, { point, index, outputTokens: sweep.outputTokens }),
  )
  const relative = (index: number, value: number | null, expected: number) =>
    value === null || sweep.points[index] === undefined ? [] : [value / expected - 1]
  const past = new Set(fit.saturation.past)
  return {
    tpot: noiseScale({
      residuals: sweep.points.flatMap((point, index) =>
        relative(index, point.stepMs, fitted[index]?.tpotMs ?? 1),
      ),
      parameters: coefficientsInUse(fit.law),
      priorFraction: MODEL_FLOOR_FRACTION,
    }),
    ttft: noiseScale({
      residuals: sweep.points.flatMap((point, index) =>
        past.has(index) ? [] : relative(index, point.ttftMs, fitted[index]?.ttftMs ?? 1),
      ),
      parameters: 2,
      priorFraction: TTFT_PRIOR_FRACTION,
    }),
    plateau: noiseScale({
      residuals: fit.saturation.past.flatMap((index) =>
        relative(
          index,
          sweep.points[index]?.batch ?? null,
          fit.law.saturationBatch ?? sweep.points[index]?.batch ?? 1,
        ),
      ),
      parameters: 1,
      priorFraction: PLATEAU_PRIOR_FRACTION,
    }),
  }
}

interface FittedPoint {
  readonly tpotMs: number
  readonly ttftMs: number
  readonly batch: number
  readonly past: boolean
}

function fittedPoint(
  fit: SweepFit,
  at: { point: SweepPoint; index: number; outputTokens: number },
): FittedPoint {
  const { point, index, outputTokens } = at
  if (queuesUnexplained(fit, index)) {
    const { batch, ttftMs } = point
    return { tpotMs: stepTimeMs(fit.law, batch), ttftMs: ttftMs ?? 0, batch, past: true }
  }
  if (fit.joint) {
    const predicted = closedLoopPoint(fit.law, { concurrency: point.concurrency, outputTokens })
    return { ...predicted, past: predicted.saturated }
  }
  const past = fit.saturation.past.includes(index)
  const batch = past ? (fit.law.saturationBatch ?? point.batch) : point.batch
  return {
    tpotMs: stepTimeMs(fit.law, batch),
    ttftMs: fit.law.ttftBaseMs + fit.law.ttftSlopeMs * batch,
    batch,
    past,
  }
}

function replicate(input: {
  sweep: Sweep
  fitted: readonly FittedPoint[]
  noise: SweepNoise
  inflation: number
  random: Random
}): SweepPoint[] {
  const { sweep, fitted, noise, inflation, random } = input
  const moods = disturbances(fitted.length, { sigma: inflation * drawSigma(noise.tpot, random), random })
  const ttftSigma = drawSigma(noise.ttft, random)
  const plateauSigma = drawSigma(noise.plateau, random)
  const points = sweep.points.map((point, index) => {
    const truth = fitted[index] as FittedPoint
    const own = (point.standardErrorFraction ?? 0) * standardNormal(random)
    const stepMs = truth.tpotMs * Math.exp((moods[index] ?? 0) + own)
    const decodingMs = (sweep.outputTokens - 1) * stepMs
    if (point.ttftMs === null) return { ...point, stepMs, batch: truth.batch }
    if (truth.past) {
      const batch = Math.min(point.concurrency, truth.batch * Math.exp(plateauSigma * standardNormal(random)))
      const perMs = batch / decodingMs
      const ttftMs = Math.max((point.concurrency - batch) / perMs, truth.ttftMs * 1e-3)
      return { ...point, stepMs, batch, ttftMs, requestsPerS: measured(point, 1000 * perMs) }
    }
    const ttftMs = truth.ttftMs * Math.exp(ttftSigma * standardNormal(random))
    const perMs = point.concurrency / (ttftMs + decodingMs)
    return {
      ...point,
      stepMs,
      ttftMs,
      batch: point.concurrency - perMs * ttftMs,
      requestsPerS: measured(point, 1000 * perMs),
    }
  })
  return points.sort((left, right) => left.batch - right.batch)
}

function measured(point: SweepPoint, value: number): number | null {
  return point.requestsPerS === null ? null : value
}
