import { expect, test } from 'vitest'
import { findModel, MODELS } from '../../src/capacity/model-catalogue.ts'

test('model catalogue: an organisation and an -Instruct suffix do not matter', () => {
  expect(findModel('meta-llama/Llama-3.1-8B-Instruct')?.name).toBe('Llama-3.1-8B')
  expect(findModel('deepseek-ai/DeepSeek-V3')?.latent).toEqual({ rank: 512, rope: 64 })
  expect(findModel('openai/gpt-oss-120b')?.experts).toEqual({ total: 128, perToken: 4 })
  expect(findModel('somebody/unknown-7B')).toBeNull()
})

test('model catalogue: two bytes per parameter of Llama-3.1-70B', () => {
  expect(findModel('Llama-3.1-70B')?.weightsGib).toBeCloseTo((70553706496 * 2) / 2 ** 30, 2)
})

test('model catalogue: names are unique, and query heads are a multiple of KV heads', () => {
  expect(new Set(MODELS.map((model) => model.name)).size).toBe(MODELS.length)
  for (const model of MODELS) expect(model.heads % model.kvHeads).toBe(0)
})
