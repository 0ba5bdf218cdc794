/** The simulated engine of a server that may pad its batch, or certainly does. */
import type { FittedLaw } from '../fit/law.ts'
import type { CertainSteps, PaddedSteps } from './padding.ts'
import { type EngineModel, STEP_MIN_MS } from './simulate/engine-model.ts'

/** At best, or at worst, of the paddings that the levels leave possible. */
export type PaddedEnd = 'least' | 'most'

/** The engine with what padding adds to its steps. */
export function withPaddingCost(engine: EngineModel, steps: PaddedSteps, end: PaddedEnd): EngineModel {
  const costMs = end === 'most' ? steps.mostMs : steps.leastMs
  return {
    ...engine,
    decodeMs: rising(engine.decodeMs.map((ms, batch) => ms + costMs(Math.max(1, batch)))),
  }
}

/** The engine with the steps of a server that certainly pads, less the prefill that the engine does by itself. */
export function withCertainSteps(
  engine: EngineModel,
  certain: CertainSteps,
  { end, factor, fitted }: { readonly end: PaddedEnd; readonly factor: number; readonly fitted: FittedLaw },
): EngineModel {
  const stepMs = end === 'most' ? certain.mostMs : certain.leastMs
  const prefillMs = engine.prefillWorkMs(fitted.inputTokens) / (fitted.outputTokens - 1)
  const decodeMs = engine.decodeMs.map((_, batch) => {
    const running = Math.max(1, batch)
    return Math.max(STEP_MIN_MS, factor * stepMs(running) - running * prefillMs)
  })
  return { ...engine, decodeMs: rising(decodeMs) }
}

function rising(values: Float64Array): Float64Array {
  let before = 0
  return values.map((value) => {
    before = Math.max(before, value)
    return before
  })
}
