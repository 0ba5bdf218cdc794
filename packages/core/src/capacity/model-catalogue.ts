/**
 * Model geometry, for KV memory and the weight floor.
 *
 * Sources: config.json copies in ai-dynamo/aiconfigurator @ 095f58a (Apache-2.0), read 2026-12; parameters of
 * Llama-3.1-70B from llm-d-benchmark PR 381; weights and activations as vLLM reported them on an H100 at 16,000 tokens:
 * llm-d-incubation/llm-d-planner @ e50305a, docs/empirical-vllm-memory-results.md (Apache-2.0). Where nobody published a
 * measured size there is none here, and no memory cap is computed.
 */
import type { ModelGeometry } from './memory.ts'

export interface Model extends ModelGeometry {
  readonly name: string
  readonly hidden: number
  readonly heads: number
  /** Mixture of experts, else null. */
  readonly experts: { readonly total: number; readonly perToken: number } | null
  /** Weights of the whole model in memory, GiB, in the precision that was measured; null when not published. */
  readonly weightsGib: number | null
  /** Activation peak per GPU that vLLM profiled, GiB; null when not published. */
  readonly activationGib: number | null
}

interface ModelRow {
  readonly name: string
  /** layers, hidden, heads, KV heads, head dimension. */
  readonly shape: readonly [number, number, number, number, number]
  readonly experts?: readonly [number, number]
  readonly weightsGib?: number
  readonly activationGib?: number
  readonly latent?: readonly [number, number]
  readonly sliding?: readonly [number, number]
}

const ROWS: readonly ModelRow[] = [
  { name: 'Llama-3.1-8B', shape: [32, 4096, 32, 8, 128], weightsGib: 14.99, activationGib: 4.76 },
  // 70,553,706,496 parameters of two bytes.
  { name: 'Llama-3.1-70B', shape: [80, 8192, 64, 8, 128], weightsGib: 131.42 },
  { name: 'Llama-3.3-70B-FP8', shape: [80, 8192, 64, 8, 128], weightsGib: 67.72, activationGib: 4.84 },
  { name: 'Qwen3-0.6B', shape: [28, 1024, 16, 8, 128], weightsGib: 1.12, activationGib: 5.56 },
  { name: 'Qwen3-1.7B', shape: [28, 2048, 16, 8, 128] },
  { name: 'Qwen3-8B', shape: [36, 4096, 32, 8, 128] },
  { name: 'Qwen3-32B', shape: [64, 5120, 64, 8, 128], weightsGib: 61.03, activationGib: 5.64 },
  { name: 'Qwen3-30B-A3B', shape: [48, 2048, 32, 4, 128], experts: [128, 8] },
  { name: 'Qwen3-235B-A22B', shape: [94, 4096, 64, 4, 128], experts: [128, 8] },
  { name: 'Mixtral-8x7B', shape: [32, 4096, 32, 8, 128], experts: [8, 2] },
  { name: 'DeepSeek-V3', shape: [61, 7168, 128, 128, 128], experts: [256, 8], latent: [512, 64] },
  { name: 'DeepSeek-R1', shape: [61, 7168, 128, 128, 128], experts: [256, 8], latent: [512, 64] },
  { name: 'GLM-5', shape: [78, 6144, 64, 64, 128], experts: [256, 8], latent: [512, 64] },
  { name: 'MiniMax-M2.5', shape: [62, 3072, 48, 8, 128], experts: [256, 8] },
  // Every other layer slides over 128 tokens.
  {
    name: 'gpt-oss-120b',
    shape: [36, 2880, 64, 8, 64],
    experts: [128, 4],
    weightsGib: 64.38,
    activationGib: 7.38,
    sliding: [18, 128],
  },
  // Full attention in every fourth layer only: those 15 are the ones with a cache that grows.
  { name: 'Qwen3.5-397B-A17B', shape: [15, 4096, 32, 2, 256], experts: [512, 10] },
]

export const MODELS: readonly Model[] = ROWS.map(modelOf)

/** A model by the end of its name (`meta-llama/Llama-3.1-8B-Instruct` finds Llama-3.1-8B); null when unknown. */
export function findModel(name: string): Model | null {
  const wanted = plain(name.split('/').at(-1) ?? name)
  const exact = MODELS.find((model) => plain(model.name) === wanted)
  return exact ?? MODELS.find((model) => plain(`${model.name}-Instruct`) === wanted) ?? null
}

function modelOf(row: ModelRow): Model {
  const [layers, hidden, heads, kvHeads, headDim] = row.shape
  return {
    name: row.name,
    layers,
    hidden,
    heads,
    kvHeads,
    headDim,
    latent: row.latent === undefined ? null : { rank: row.latent[0], rope: row.latent[1] },
    slidingWindow: row.sliding === undefined ? null : { layers: row.sliding[0], tokens: row.sliding[1] },
    experts: row.experts === undefined ? null : { total: row.experts[0], perToken: row.experts[1] },
    weightsGib: row.weightsGib ?? null,
    activationGib: row.activationGib ?? null,
  }
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}
