/** From a plan and a level to what every load process of the step is told. */
import type { StepLevel } from '@loadcurve/core/load/step-level'
import type { Plan } from '@loadcurve/core/plan/schema'
import { seededRandom } from '@loadcurve/core/random'
import type { StepLength } from '@loadcurve/core/run/step-length'
import type { StepOrder } from '@loadcurve/loadgen/step-order'

export interface OrderParts {
  readonly plan: Plan
  readonly level: StepLevel
  /** Place of the step in the run: each step draws its own arrivals and lengths. */
  readonly step: number
  readonly length: StepLength
  readonly shards: number
  readonly promptCalibration: StepOrder['promptCalibration']
  /** Default no. */
  readonly continuousUsage?: boolean
  readonly policy: StepOrder['policy']
}

/** The order of a step; the part of each shard is added where it is driven. */
export function stepOrder(parts: OrderParts): Omit<StepOrder, 'part'> {
  const { plan, level, length, shards } = parts
  const perShard = (total: number) => Math.ceil(total / shards)
  return {
    schemaVersion: 1,
    target: plan.target,
    workload: plan.workload,
    level,
    sequencesPerRequest: plan.sweep.batch.control === 'request' ? (level.batch ?? 1) : 1,
    window: {
      warmup: {
        durationMs: length.warmupMs,
        endedMin: perShard(length.warmupRequests),
        maxMs: length.warmupMaxMs,
      },
      durationMs: length.windowMs,
      requestsMin: perShard(length.requestsMin),
      maxMs: length.windowMaxMs,
      drainMaxMs: length.drainMaxMs,
    },
    staggerMs: length.staggerMs,
    inFlightMax: perShard(plan.sweep.step.inFlightMax),
    seed: stepSeed(plan.seed, parts.step),
    promptCalibration: parts.promptCalibration,
    continuousUsage: parts.continuousUsage ?? false,
    policy: parts.policy,
    calibrate: true,
  }
}

/**
 * How many load processes a step is dealt over: all that are there, but each must have a request to keep in flight.
 */
export function shardsFor(level: StepLevel, loadProcesses: number): number {
  return Math.max(1, Math.min(loadProcesses, level.concurrency ?? loadProcesses))
}

// Neighbouring seeds would do as well, but a plan with seed 2 must not repeat the second step of a plan with seed 1.
function stepSeed(seed: number, step: number): number {
  return Math.floor(seededRandom(seed, `step ${step}`)() * 2 ** 53)
}
