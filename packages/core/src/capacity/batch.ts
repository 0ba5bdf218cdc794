/**
 * The batch to set. Three rules, in this order:
 *
 *   1. cap: the largest whole b at which the batch, *full*, still meets every TPOT promise, not above what KV memory
 *      holds, what saturation showed or what was measured;
 *   2. onset: the smallest b with at least 98 % of the throughput at that cap (beyond it latency is spent for nothing);
 *   3. caution: each bootstrap draw gives its own b; the interval is their 5–95 % range and the recommendation its lower
 *      end, which is the same as judging the promise at its upper 90 % bound.
 */
import { type StepLaw, stepTimeMs } from '../fit/law.ts'
import type { StepCurve } from '../fit/step-forms.ts'

/** A promise on step time, with the curve it is judged on: the estimate and one curve per draw. */
export interface StepLimit {
  /** `slo:tpot:p95`. */
  readonly code: string
  readonly maxMs: number
  readonly curve: StepCurve
  readonly draws: readonly StepCurve[]
}

/** Limits that do not depend on a promise. */
export interface BatchRange {
  /** Largest mean decode batch that was measured. */
  readonly measured: number
  /** Up to here a curve may be read beyond it: 1.25 × measured, or no further where no law fits. */
  readonly extrapolated: number
  /** Sequences that KV memory holds; null when unknown. */
  readonly kv: number | null
}

export interface BatchChoice {
  /** 0 when not even a single sequence meets the promises. */
  readonly batch: number
  readonly limitedBy: string
}

/** Share of the throughput at the cap that the onset rule keeps. */
export const ONSET_FRACTION = 0.98

/** The best batch of one law. `draw` picks the curve of each limit: null for the estimate. */
export function bestBatch(
  law: StepLaw,
  limits: { range: BatchRange; steps: readonly StepLimit[]; draw: number | null },
): BatchChoice {
  const cap = capOf(law, limits)
  if (cap.batch < 1) return cap
  const peak = peakBatch(law, cap.batch)
  const onset = onsetBatch(law, peak)
  // Where nothing but the end of the data stops the batch, and throughput is already flat or falling inside the data, it
  // is the onset that decides.
  const flat =
    peak < cap.batch ||
    cap.limitedBy === 'saturation' ||
    (cap.limitedBy === 'measured-range' && onset <= 0.8 * cap.batch)
  return { batch: onset, limitedBy: flat ? 'throughput-onset' : cap.limitedBy }
}

/** The 5–95 % range of the best batches of all draws, whole numbers. */
export function batchInterval(
  draws: readonly StepLaw[],
  limits: { range: BatchRange; steps: readonly StepLimit[] },
): [number, number] {
  const batches = draws
    .map((law, draw) => bestBatch(law, { ...limits, draw }).batch)
    .sort((left, right) => left - right)
  const low = batches[Math.floor(0.05 * (batches.length - 1))] ?? 0
  const high = batches[Math.ceil(0.95 * (batches.length - 1))] ?? 0
  return [low, high]
}

function capOf(
  law: StepLaw,
  limits: { range: BatchRange; steps: readonly StepLimit[]; draw: number | null },
): BatchChoice {
  const { range, steps, draw } = limits
  const choices: BatchChoice[] = steps.flatMap((limit) => {
    const curve = draw === null ? limit.curve : (limit.draws[draw % limit.draws.length] ?? limit.curve)
    const batch = largestBatch(curve, { maxMs: limit.maxMs, batchMax: Math.floor(range.extrapolated) })
    return batch === null ? [] : [{ batch, limitedBy: limit.code }]
  })
  if (range.kv !== null) choices.push({ batch: range.kv, limitedBy: 'kv-memory' })
  if (law.saturationBatch !== null) {
    choices.push({ batch: Math.floor(law.saturationBatch), limitedBy: 'saturation' })
  } else if (choices.length === 0 || choices.every((choice) => choice.batch > range.extrapolated)) {
    choices.push({ batch: Math.max(1, Math.floor(range.measured)), limitedBy: 'measured-range' })
  }
  return choices.reduce((left, right) => (right.batch < left.batch ? right : left))
}

/**
 * Largest whole b ≤ batchMax with curve(b) ≤ maxMs; 0 when there is none, null when batchMax itself still meets it (the
 * promise does not bind inside the range). Step time never falls with b, so it is a bisection.
 */
export function largestBatch(curve: StepCurve, limit: { maxMs: number; batchMax: number }): number | null {
  const { maxMs, batchMax } = limit
  if (stepTimeMs(curve, batchMax) <= maxMs) return null
  let meets = 0
  let misses = batchMax
  while (misses - meets > 1) {
    const middle = Math.floor((meets + misses) / 2)
    if (stepTimeMs(curve, middle) <= maxMs) meets = middle
    else misses = middle
  }
  return meets
}

/**
 * The whole b ≤ cap with the most throughput. A law's throughput never falls with b; joined levels can fall back, when a
 * server preempts, and between two of them throughput only rises or only falls: the peak is at a knot or at the cap.
 */
export function peakBatch(law: StepLaw, cap: number): number {
  const knots = law.form === 'isotonic' ? law.knots.map((knot) => Math.floor(knot.batch)) : []
  const throughput = (batch: number) => batch / stepTimeMs(law, batch)
  return knots
    .filter((batch) => batch >= 1 && batch < cap)
    .reduce((best, batch) => (throughput(batch) > throughput(best) ? batch : best), cap)
}

/** Smallest whole b whose throughput b / itl(b) reaches 98 % of that at the cap. */
export function onsetBatch(law: StepLaw, cap: number): number {
  const wanted = (ONSET_FRACTION * cap) / stepTimeMs(law, cap)
  let short = 0
  let enough = cap
  while (enough - short > 1) {
    const middle = Math.floor((short + enough) / 2)
    if (middle / stepTimeMs(law, middle) >= wanted) enough = middle
    else short = middle
  }
  return enough
}
