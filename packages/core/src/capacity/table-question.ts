/** From a table of levels that somebody brings, and what they say beside it, to the question that is answered. */
import { captureSizesOf } from '../fit/capture-sizes.ts'
import type { Level } from '../fit/level.ts'
import type { CapacityQuestion } from './capacity-answer.ts'
import { peakDemand } from './demand.ts'
import type { Hardware } from './memory-answer.ts'
import { findModel } from './model-catalogue.ts'
import type { SloTarget } from './recommendation.ts'

/** What a table does not say itself; null: not said. */
export interface TableFacts {
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly slo: readonly SloTarget[]
  readonly experts: { readonly total: number; readonly perToken: number } | null
  /** What the server pads its batch to; empty: nothing. */
  readonly captureSizes: readonly number[] | null
  readonly ratesPerS: readonly number[]
  readonly demandPerS: number | null
  readonly gpu: string | null
  readonly gpusPerReplica: number | null
  readonly pricePerGpuHour: number | null
  readonly model: string | null
  readonly seed: number
}

/** Enough for the 5 and 95 % points of the interval to be steady in their second digit. */
const DRAWS = 1000

export function questionOfTable(levels: readonly Level[], facts: TableFacts): CapacityQuestion {
  return {
    levels,
    inputTokens: facts.inputTokens,
    outputTokens: facts.outputTokens,
    experts: facts.experts ?? expertsOf(facts.model),
    captureSizes: captureSizesOf(facts.captureSizes),
    // A table holds no max_tokens = 1 probes.
    probes: [],
    seed: facts.seed,
    draws: DRAWS,
    slo: facts.slo,
    hardware: hardwareOf(facts),
    traffic: { inputTokens: null, outputTokens: null, arrival: { process: 'poisson' } },
    ratesPerS: facts.ratesPerS,
    demand: facts.demandPerS === null ? null : peakDemand(facts.demandPerS),
    // A table does not say how the server cuts prompts.
    stepTokens: null,
    purchase: {
      gpusPerReplica: facts.gpusPerReplica ?? 1,
      gpusPerNode: null,
      failureDomain: 'replica',
      pricePerGpuHour: facts.pricePerGpuHour,
      priceDate: null,
      apiPrice: null,
    },
  }
}

// Nothing is assumed about hardware that nobody spoke of: a figure per GPU would be a guess.
function hardwareOf({ gpu, gpusPerReplica, model }: TableFacts): Hardware | null {
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

function expertsOf(model: string | null): TableFacts['experts'] {
  return model === null ? null : (findModel(model)?.experts ?? null)
}
