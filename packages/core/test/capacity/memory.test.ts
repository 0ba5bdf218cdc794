import { expect, test } from 'vitest'
import { kvBytesPerToken, kvCacheGib, sequenceBytes, sequenceCapacity } from '../../src/capacity/memory.ts'
import { findModel } from '../../src/capacity/model-catalogue.ts'
import { fixtureText } from '../measured.ts'

const dense = { layers: 32, kvHeads: 8, headDim: 128, latent: null, slidingWindow: null }
const bf16 = { bytesPerElement: 2, tensorParallel: 1 }

test('memory: the published vLLM rows to 0.01 GiB', () => {
  for (const row of fixtureText('vllm_memory_h100')) {
    // Upstream typo: its figures belong to a utilisation of 0.95, not 0.9.
    const utilizationFraction = row['model'] === 'gpt-oss-120b' ? 0.95 : Number(row['util'])
    const available = kvCacheGib({
      totalGib: 79.18,
      utilizationFraction,
      weightsGib: Number(row['weights']),
      activationGib: Number(row['activation']),
      otherGib: Number(row['non_torch']),
    })
    expect(Math.abs(available - Number(row['kv_cache']))).toBeLessThan(0.0101)
  }
})

test('memory: bytes per token as the models’ configs give them', () => {
  const published: [string, number][] = [
    ['Llama-3.1-8B', 131072],
    ['Llama-3.1-70B', 327680],
    ['Qwen3-32B', 262144],
    ['Qwen3-235B-A22B', 192512],
    ['DeepSeek-V3', 70272],
    ['GLM-5', 89856],
    ['gpt-oss-120b', 73728],
    ['Qwen3.5-397B-A17B', 30720],
  ]
  for (const [name, bytes] of published) {
    const model = findModel(name)
    expect(model === null ? null : kvBytesPerToken(model, bf16)).toBe(bytes)
  }
})

test('memory: KV heads are split over GPUs, at least one each; latents are on all of them', () => {
  expect(kvBytesPerToken(dense, { bytesPerElement: 2, tensorParallel: 4 })).toBe(131072 / 4)
  expect(kvBytesPerToken(dense, { bytesPerElement: 2, tensorParallel: 16 })).toBe(131072 / 8)
  const latent = { ...dense, latent: { rank: 512, rope: 64 } }
  expect(kvBytesPerToken(latent, { bytesPerElement: 2, tensorParallel: 8 })).toBe(32 * 576 * 2)
})

test('memory: a sliding-window layer keeps its window, in whole blocks', () => {
  const sliding = { ...dense, slidingWindow: { layers: 16, tokens: 128 } }
  const sequence = { tokens: 1000, blockTokens: 16, ...bf16 }
  const perLayerToken = 2 * 8 * 128 * 2
  expect(sequenceBytes(sliding, sequence)).toBe((16 * 1008 + 16 * 128) * perLayerToken)
  expect(sequenceBytes(dense, sequence)).toBe(32 * 1008 * perLayerToken)
})

test('memory: sequences at full and at mean length, by hand', () => {
  // 51.38 GiB / 131072 B = 420,904 tokens; 1024 + 256 tokens fill 80 blocks, 1024 + 128 fill 72.
  const capacity = sequenceCapacity(dense, {
    availableGib: 51.38,
    inputTokens: 1024,
    outputTokens: 256,
    blockTokens: 16,
    ...bf16,
  })
  expect(capacity).toEqual({ worstCase: Math.floor(420904 / 1280), mean: Math.floor(420904 / 1152) })
})
