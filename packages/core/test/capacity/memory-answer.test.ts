import { expect, test } from 'vitest'
import { memoryVerdict } from '../../src/capacity/memory-answer.ts'

const hardware = {
  gpu: 'H100-SXM',
  gpusPerReplica: 1,
  model: 'Llama-3.1-8B',
  memoryUtilizationFraction: 0.9,
  kvBytesPerElement: 2,
  kvBlockTokens: 16,
}
const lengths = { inputTokens: 1024, outputTokens: 256 }

test('memory answer: Llama-3.1-8B on one H100, by hand', () => {
  // 0.9·80 − 14.99 − 4.76 − 0.13 = 52.12 GiB; 131072 B a token; 1280 and 1152 tokens a sequence.
  const { memory } = memoryVerdict(hardware, lengths)
  expect(memory?.availableGib).toBeCloseTo(52.12, 9)
  expect(memory?.kvBytesPerToken).toBe(131072)
  expect(memory?.sequencesWorstCase).toBe(Math.floor((52.12 * 2 ** 30) / 131072 / 1280))
  expect(memory?.sequencesMean).toBe(Math.floor((52.12 * 2 ** 30) / 131072 / 1152))
})

test('memory answer: weights that do not fit are refused', () => {
  expect(memoryVerdict({ ...hardware, gpu: 'L4', model: 'Qwen3-32B' }, lengths).refusals).toEqual([
    'weights-do-not-fit',
  ])
})

test('memory answer: what is not known is named, and gives no answer', () => {
  const caveats = (change: Partial<typeof hardware>, inputTokens: number | null = 1024) =>
    memoryVerdict({ ...hardware, ...change }, { ...lengths, inputTokens }).caveats
  expect(caveats({ gpu: 'H900' })).toEqual(['gpu-not-in-catalogue'])
  expect(caveats({ model: 'Unknown-1B' })).toEqual(['model-not-in-catalogue'])
  expect(caveats({ model: 'Qwen3-8B' })).toEqual(['model-weights-unknown'])
  expect(caveats({}, null)).toEqual(['input-length-unknown'])
  expect(memoryVerdict(null, lengths)).toEqual({ memory: null, refusals: [], caveats: [] })
})
