/**
 * A check from physics. Every decode step reads all weights of a dense model once, so a step cannot be shorter than
 * weights ÷ bandwidth; servers get to 0.58–0.75 of that ideal. A fitted base below the floor means that an input is
 * wrong (another GPU, another precision, speculative decoding), not that the server is fast.
 */
import type { StepLaw } from '../fit/law.ts'
import { findGpu } from './gpu-catalogue.ts'
import type { Hardware } from './memory-answer.ts'
import { findModel } from './model-catalogue.ts'

/** Shortest decode step that memory bandwidth allows, ms; null when unknown, or when not all weights are read. */
export function weightFloorMs(hardware: Hardware): number | null {
  const gpu = hardware.gpu === null ? null : findGpu(hardware.gpu)
  const model = hardware.model === null ? null : findModel(hardware.model)
  if (gpu === null || model === null || model.weightsGib === null || model.experts !== null) return null
  const bytesPerGpu = (model.weightsGib * 2 ** 30) / hardware.gpusPerReplica
  return (1000 * bytesPerGpu) / (gpu.bandwidthGBPerS * 1e9)
}

/** True when a law's step at batch one is shorter than physics allows. */
export function isBelowWeightFloor(law: StepLaw, hardware: Hardware | null): boolean {
  const floorMs = hardware === null ? null : weightFloorMs(hardware)
  return floorMs !== null && law.form === 'linear' && law.baseMs + law.slopeMs < floorMs
}
