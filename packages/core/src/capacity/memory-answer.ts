/** KV memory of the hardware that a replica runs on: what it holds, or why that cannot be said. */
import { findGpu } from './gpu-catalogue.ts'
import { kvBytesPerToken, kvCacheGib, sequenceCapacity } from './memory.ts'
import { findModel } from './model-catalogue.ts'
import type { MemoryAnswer } from './recommendation.ts'

/** What a replica runs on. */
export interface Hardware {
  readonly gpu: string | null
  readonly gpusPerReplica: number
  readonly model: string | null
  /** Share of GPU memory that the server may use, (0, 1]. */
  readonly memoryUtilizationFraction: number
  readonly kvBytesPerElement: number
  readonly kvBlockTokens: number
}

export interface MemoryVerdict {
  readonly memory: MemoryAnswer | null
  /** `weights-do-not-fit`: no batch runs on this hardware. */
  readonly refusals: readonly string[]
  readonly caveats: readonly string[]
}

// CUDA context and communication buffers, as vLLM reports them on one and on several GPUs.
const OTHER_GIB = { one: 0.13, several: 0.55 } as const
// The largest profile that vLLM reported for a dense model; used where a model has none of its own.
const ACTIVATION_GIB = 5.64

/** KV memory at given lengths. Unknown lengths, GPU or model give no answer, with a caveat that names what is missing. */
export function memoryVerdict(
  hardware: Hardware | null,
  lengths: { inputTokens: number | null; outputTokens: number },
): MemoryVerdict {
  if (hardware === null || (hardware.gpu === null && hardware.model === null)) return unknown([])
  const gpu = hardware.gpu === null ? null : findGpu(hardware.gpu)
  const model = hardware.model === null ? null : findModel(hardware.model)
  if (gpu === null) return unknown(hardware.gpu === null ? [] : ['gpu-not-in-catalogue'])
  if (model === null) return unknown(hardware.model === null ? [] : ['model-not-in-catalogue'])
  if (model.weightsGib === null) return unknown(['model-weights-unknown'])
  const tensorParallel = hardware.gpusPerReplica
  const availableGib = kvCacheGib({
    totalGib: gpu.memoryGib,
    utilizationFraction: hardware.memoryUtilizationFraction,
    weightsGib: model.weightsGib / tensorParallel,
    activationGib: model.activationGib ?? ACTIVATION_GIB,
    otherGib: tensorParallel > 1 ? OTHER_GIB.several : OTHER_GIB.one,
  })
  if (availableGib <= 0) return { memory: null, refusals: ['weights-do-not-fit'], caveats: [] }
  if (lengths.inputTokens === null) return unknown(['input-length-unknown'])
  const cache = { bytesPerElement: hardware.kvBytesPerElement, tensorParallel }
  const capacity = sequenceCapacity(model, {
    ...cache,
    availableGib,
    inputTokens: lengths.inputTokens,
    outputTokens: lengths.outputTokens,
    blockTokens: hardware.kvBlockTokens,
  })
  return {
    memory: {
      kvBytesPerToken: kvBytesPerToken(model, { ...cache, tensorParallel: 1 }),
      availableGib,
      sequencesWorstCase: capacity.worstCase,
      sequencesMean: capacity.mean,
    },
    refusals: [],
    caveats: [],
  }
}

function unknown(caveats: readonly string[]): MemoryVerdict {
  return { memory: null, refusals: [], caveats }
}
