/**
 * The fitted law of one replica: what the fit hands to the capacity code. One `StepLaw` is one point in parameter
 * space: the estimate, or one bootstrap draw. MODEL.md defines the symbols.
 *
 * A decode step of b sequences takes  itl(b) = a + s*b + d*shape(b)  ms. Its slope s contains the other requests'
 * prefill: `prefillMs` p0 + p1*I + p2*I^2 per prompt, shared over O - 1 decode steps. Whoever simulates decode and
 * prefill separately uses decodeSlope = max(0, s - P(I)/(O - 1)), never s plus P.
 */

export type StepForm = 'linear' | 'sqrt' | 'moe' | 'isotonic'

export interface StepLaw {
  readonly form: StepForm
  /** a, ms per step. */
  readonly baseMs: number
  /** s, ms per step and sequence, at the measured lengths. */
  readonly slopeMs: number
  /** d, ms: coefficient of sqrt(b) (`sqrt`) or of 1 - (1 - k/E)^b (`moe`); 0 otherwise. */
  readonly shapeMs: number
  /** k/E for `moe`, else null. */
  readonly expertFraction: number | null
  /** `isotonic`: knots (b, ms), increasing in both; interpolated linearly, never extrapolated. Empty otherwise. */
  readonly knots: readonly { readonly batch: number; readonly stepMs: number }[]
  /** B*: mean decode batch at saturation; null when no saturation was observed. */
  readonly saturationBatch: number | null
  /** ttft(b) = t0 + t1*b below saturation, ms. */
  readonly ttftBaseMs: number
  readonly ttftSlopeMs: number
  /** P(I) = p0 + p1*I + p2*I^2, ms of prefill work per prompt; from probes, or p0 = TTFT at the lowest level. */
  readonly prefillMs: { readonly p0: number; readonly p1: number; readonly p2: number }
  readonly prefillSource: 'probes' | 'ttft'
}

/** The law with the lengths it was measured at and its sampling uncertainty. */
export interface FittedLaw {
  readonly law: StepLaw
  /** Seeded bootstrap draws of the whole pipeline, already inflated. */
  readonly draws: readonly StepLaw[]
  readonly inputTokens: number
  readonly outputTokens: number
  /** Prompt lengths between which the prefill law was measured; left out: `inputTokens` alone. */
  readonly inputTokensRange?: readonly [number, number]
  /** Largest achieved concurrency and decode batch that a fitted level reached: the range gate. */
  readonly concurrencyMax: number
  readonly batchMax: number
}

/** A fitted law of a sweep that may not say how long its prompts were: then nothing that depends on them can be asked. */
export type CurveLaw = Omit<FittedLaw, 'inputTokens'> & { readonly inputTokens: number | null }

/** True when a law knows the length of its prompts. */
export function knowsPromptLength(law: CurveLaw): law is FittedLaw {
  return law.inputTokens !== null
}

/** Step time of a law at a decode batch b >= 0, ms (b is not capped here). */
export function stepTimeMs(
  law: Pick<StepLaw, 'form' | 'baseMs' | 'slopeMs' | 'shapeMs' | 'expertFraction' | 'knots'>,
  batch: number,
): number {
  if (law.form === 'isotonic') return interpolate(law.knots, batch)
  return law.baseMs + law.slopeMs * batch + law.shapeMs * stepShape(law.form, law.expertFraction, batch)
}

/** The concave term of a step form at batch b; dimensionless. */
export function stepShape(form: StepForm, expertFraction: number | null, batch: number): number {
  if (form === 'sqrt') return Math.sqrt(batch)
  if (form === 'moe' && expertFraction !== null) return 1 - (1 - expertFraction) ** batch
  return 0
}

// Flat outside the knots: the caller's range gate decides whether the answer may be used at all.
function interpolate(knots: StepLaw['knots'], batch: number): number {
  const first = knots[0]
  if (first === undefined) throw new RangeError('an isotonic law needs at least one knot')
  let left = first
  for (const right of knots) {
    if (right.batch >= batch) {
      if (right.batch === left.batch) return right.stepMs
      const fraction = Math.max(0, (batch - left.batch) / (right.batch - left.batch))
      return left.stepMs + fraction * (right.stepMs - left.stepMs)
    }
    left = right
  }
  return left.stepMs
}
