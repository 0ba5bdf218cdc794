/**
 * A replica as the simulation sees it: what one engine step costs, and what limits it.
 *
 * A step with b sequences in decode and some prompt tokens in prefill takes decode(b) + (prefill work of those tokens).
 * The fitted step time itl(b) is a mean over steps with and without other requests' prefill, so it may not be used as
 * decode(b): that would charge prefill twice. While a request decodes its O - 1 tokens, about b other prompts pass
 * through, each adding its work W once, so decode(b) = itl(b) - b W / (O - 1), never below decode at a smaller batch.
 *
 * W itself: the TTFT of a lone prompt, P(I), is ceil(I / chunk) steps of an otherwise empty server plus the work. But a
 * TTFT may hold more than work (a client that is far away, prompts that were sent together): W cannot be more than
 * the slope of itl(b) has room for, W <= (O - 1) (itl(B) - itl(1)) / (B - 1). What is beyond is a delay before the engine.
 */
import { type StepLaw, stepTimeMs } from '../../fit/law.ts'

/** No step is free: a law whose terms all vanish must not make time stand still. */
export const STEP_MIN_MS = 1e-3
/**
 * A prompt length to reckon with where none is known. It cancels out of the prefill work, which is the measured one
 * whatever the length; only how many prompts share a step depends on it.
 */
export const UNKNOWN_INPUT_TOKENS = 1024

export interface EngineSettings {
  /** Requests that hold a place at once, those in prefill included (`max_num_seqs`). */
  readonly slots: number
  /**
   * Tokens of one step, decode and prompt together (`max_num_batched_tokens`): longer prompts are cut into chunks, and
   * prompts that fit share a step. Null: unknown; a prompt is taken whole, and short ones share a step.
   */
  readonly stepTokens: number | null
  /** KV-cache places, tokens; null: never the limit. */
  readonly kvTokens: number | null
}

export interface EngineModel extends EngineSettings {
  /** decode(b) for b = 0 ... slots, ms; never decreasing. */
  readonly decodeMs: Float64Array
  /** Delay of every request before it reaches the engine, ms. */
  readonly overheadMs: number
  /** Prefill work of a prompt of I tokens, ms, without the decode share of the steps it is in. */
  readonly prefillWorkMs: (inputTokens: number) => number
}

/**
 * The engine of a fitted law at the lengths it was measured at.
 *
 * @param law one point of the fit
 * @param lengths mean tokens of a request at which the law was fitted
 * @param settings limits; `emptyMs`, the step of an empty engine, when something better than the law knows it
 * @throws RangeError when slots is not a positive integer, or outputTokens is not above 1
 */
export function engineModel(
  law: StepLaw,
  lengths: { readonly inputTokens: number; readonly outputTokens: number },
  { emptyMs = Math.max(0, stepTimeMs(law, 0)), ...settings }: EngineSettings & { readonly emptyMs?: number },
): EngineModel {
  const { slots } = settings
  if (!(Number.isInteger(slots) && slots > 0))
    throw new RangeError(`slots must be a positive integer, got ${slots}`)
  if (!(lengths.outputTokens > 1))
    throw new RangeError(`outputTokens must be above 1, got ${lengths.outputTokens}`)
  const fullWorkMs = workOf(law, { ...settings, measuredInputTokens: lengths.inputTokens, emptyMs })
  const measuredWorkMs = fullWorkMs(lengths.inputTokens)
  const roomMs = (lengths.outputTokens - 1) * meanSlope(law, settings)
  const workFraction = measuredWorkMs > roomMs ? roomMs / measuredWorkMs : 1
  const prefillWorkMs = (inputTokens: number): number => fullWorkMs(inputTokens) * workFraction
  const perSequenceMs = prefillWorkMs(lengths.inputTokens) / (lengths.outputTokens - 1)
  const decodeMs = new Float64Array(slots + 1)
  let before = 0
  for (let batch = 0; batch <= slots; batch++) {
    before = Math.max(before, STEP_MIN_MS, stepTimeMs(law, batch) - batch * perSequenceMs)
    decodeMs[batch] = before
  }
  return { ...settings, decodeMs, overheadMs: measuredWorkMs * (1 - workFraction), prefillWorkMs }
}

/** TTFT of a lone prompt, ms. */
export function loneTtftMs(engine: EngineModel, inputTokens: number): number {
  return (
    engine.overheadMs +
    engine.prefillWorkMs(inputTokens) +
    chunks(engine, inputTokens) * (engine.decodeMs[0] ?? 0)
  )
}

/** Engine steps that a lone prompt's prefill takes. */
export function chunks(engine: EngineSettings, inputTokens: number): number {
  return engine.stepTokens === null ? 1 : Math.max(1, Math.ceil(inputTokens / engine.stepTokens))
}

/** Mean rise of the step time per sequence from one to all places, ms; without a second place there is no other. */
function meanSlope(law: StepLaw, { slots }: EngineSettings): number {
  return slots < 2 ? Infinity : Math.max(0, stepTimeMs(law, slots) - stepTimeMs(law, 1)) / (slots - 1)
}

function workOf(
  law: StepLaw,
  known: EngineSettings & { readonly measuredInputTokens: number; readonly emptyMs: number },
): (inputTokens: number) => number {
  const { p0, p1, p2 } = law.prefillMs
  const work = (inputTokens: number): number => {
    const loneMs = p0 + p1 * inputTokens + p2 * inputTokens * inputTokens
    return Math.max(0, loneMs - chunks(known, inputTokens) * known.emptyMs)
  }
  if (p1 > 0 || p2 > 0) return work
  // One measured length: work in proportion to the tokens is the only reading that a zero-length prompt allows.
  const measured = work(known.measuredInputTokens)
  return (inputTokens) => (measured * inputTokens) / known.measuredInputTokens
}
