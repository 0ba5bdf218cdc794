import { expect, test } from 'vitest'
import { isBelowWeightFloor, weightFloorMs } from '../../src/capacity/weight-floor.ts'
import { referenceLaw } from '../fit/reference-law.ts'

const hardware = {
  gpu: 'H100-SXM',
  gpusPerReplica: 2,
  model: 'Llama-3.3-70B-FP8',
  memoryUtilizationFraction: 0.9,
  kvBytesPerElement: 2,
  kvBlockTokens: 16,
}

test('weight floor: 67.72 GiB over two H100 take 10.85 ms', () => {
  expect(weightFloorMs(hardware)).toBeCloseTo((67.72 * 2 ** 30) / 2 / 3.35e9, 9)
  // The main oracle measured 18.5 ms at one client: 0.585 of it, inside the 0.58 to 0.75 of real servers.
  expect((weightFloorMs(hardware) ?? 0) / (referenceLaw.baseMs + referenceLaw.slopeMs)).toBeCloseTo(0.585, 2)
  expect(isBelowWeightFloor(referenceLaw, hardware)).toBe(false)
})

test('weight floor: a faster step than bandwidth allows means a wrong input', () => {
  expect(isBelowWeightFloor({ ...referenceLaw, baseMs: 9 }, hardware)).toBe(true)
  expect(isBelowWeightFloor({ ...referenceLaw, baseMs: 9 }, null)).toBe(false)
})

test('weight floor: a mixture of experts does not read all its weights, so it has none', () => {
  expect(weightFloorMs({ ...hardware, model: 'gpt-oss-120b' })).toBeNull()
  expect(weightFloorMs({ ...hardware, gpu: null })).toBeNull()
})
