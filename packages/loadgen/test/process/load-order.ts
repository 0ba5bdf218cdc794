/** Orders for a real load process against the simulator. */
import { readFileSync } from 'node:fs'
import { resolvePlan } from '@loadcurve/core/plan/resolve'
import type { StepOrder } from '../../src/step-order.ts'

export function loadOrder(url: string, changes: Partial<StepOrder> = {}): StepOrder {
  const { target, workload } = resolvePlan({
    name: 'load process test',
    target: { baseUrl: `${url}/v1`, model: 'sim/small' },
    workload: { inputTokens: { mean: 32 }, outputTokens: { mean: 40, stdev: 10, min: 10 } },
  })
  return {
    schemaVersion: 1,
    target,
    workload,
    level: { batch: null, concurrency: 8, ratePerS: null },
    sequencesPerRequest: 1,
    part: { shard: 0, shards: 1 },
    window: {
      warmup: { durationMs: 0, endedMin: 8, maxMs: 20_000 },
      durationMs: 0,
      requestsMin: 40,
      maxMs: 20_000,
      drainMaxMs: 10_000,
    },
    staggerMs: 500,
    inFlightMax: 200,
    seed: 1,
    promptCalibration: null,
    policy: { allowList: '', ownEndpoints: [] },
    calibrate: false,
    ...changes,
  }
}

/** A step that goes on until somebody ends it. */
export const endless: StepOrder['window'] = {
  warmup: { durationMs: 0, endedMin: 0, maxMs: 0 },
  durationMs: 600_000,
  requestsMin: 0,
  maxMs: 600_000,
  drainMaxMs: 10_000,
}

/** Whether a process runs. One that has ended and that nobody has collected yet does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** Polls until the condition holds or the time is over. */
export async function holdsWithin(ms: number, condition: () => boolean): Promise<boolean> {
  const untilMs = performance.now() + ms
  while (!condition()) {
    if (performance.now() > untilMs) return false
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return true
}
