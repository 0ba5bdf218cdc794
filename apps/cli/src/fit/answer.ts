/** From levels and options to the recommendation: the one place where `fit` meets core. */
import { answerCapacity } from '@loadcurve/core/capacity/capacity-answer'
import { peakDemand } from '@loadcurve/core/capacity/demand'
import type { Hardware } from '@loadcurve/core/capacity/memory-answer'
import { findModel } from '@loadcurve/core/capacity/model-catalogue'
import type { Recommendation } from '@loadcurve/core/capacity/recommendation'
import type { Level } from '@loadcurve/core/fit/level'
import type { FitOptions } from './fit-options.ts'

/** Enough for the 5 and 95 % points of the interval to be steady in their second digit. */
const bootstrapDraws = 1000

export function answer(levels: readonly Level[], options: FitOptions): Recommendation {
  return answerCapacity({
    levels,
    inputTokens: options.inputTokens,
    outputTokens: options.outputTokens,
    experts: options.experts ?? expertsOf(options.model),
    // A table holds no max_tokens = 1 probes.
    probes: [],
    seed: options.seed,
    draws: bootstrapDraws,
    slo: options.slo,
    hardware: hardwareOf(options),
    traffic: { inputTokens: null, outputTokens: null, arrival: { process: 'poisson' } },
    ratesPerS: options.ratesPerS,
    demand: options.demandPerS === null ? null : peakDemand(options.demandPerS),
    // A table does not say how the server cuts prompts.
    stepTokens: null,
    purchase: {
      gpusPerReplica: options.gpusPerReplica ?? 1,
      gpusPerNode: null,
      failureDomain: 'replica',
      pricePerGpuHour: options.pricePerGpuHour,
      priceDate: null,
      apiPrice: null,
    },
  })
}

// Nothing is assumed about hardware that nobody spoke of: a figure per GPU would be a guess.
function hardwareOf({ gpu, gpusPerReplica, model }: FitOptions): Hardware | null {
  if (gpu === null && gpusPerReplica === null && model === null) return null
  return {
    gpu,
    gpusPerReplica: gpusPerReplica ?? 1,
    model,
    // vLLM's defaults.
    memoryUtilizationFraction: 0.9,
    kvBytesPerElement: 2,
    kvBlockTokens: 16,
  }
}

function expertsOf(model: string | null): FitOptions['experts'] {
  return model === null ? null : (findModel(model)?.experts ?? null)
}
