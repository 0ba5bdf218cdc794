import { expect, test } from 'vitest'
import { findGpu, GPU_PRICES, GPUS } from '../../src/capacity/gpu-catalogue.ts'

test('gpu catalogue: names are found however they are written', () => {
  expect(findGpu('h100 sxm')?.memoryGib).toBe(80)
  expect(findGpu('H200-SXM')?.bandwidthGBPerS).toBe(4800)
  expect(findGpu('H100-SXM9')).toBeNull()
})

test('gpu catalogue: every price belongs to a GPU of the catalogue and carries its date', () => {
  for (const price of GPU_PRICES) {
    expect(findGpu(price.gpu)).not.toBeNull()
    expect(price.date).toMatch(/^2026-05/)
    expect(price.lowPerHour).toBeLessThanOrEqual(price.highPerHour)
  }
})

test('gpu catalogue: every GPU names its source', () => {
  for (const gpu of GPUS) expect(['A', 'B', 'C', 'D']).toContain(gpu.source)
})
