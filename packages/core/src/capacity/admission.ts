/**
 * The in-flight limit to give a router, per replica. A router that keeps N requests in flight at a busy replica turns
 * it into a closed loop of N clients, so the limit is the largest N at which the closed loop still keeps the SLOs.
 * Below the number of places the limit would starve the batch; far above it, requests queue inside the replica where
 * no other replica can take them.
 */
import { closedLoopReplay } from './calibration.ts'
import type { SloTarget } from './recommendation.ts'
import type { EngineModel } from './simulate/engine-model.ts'
import { type LatencyNoise, type LatencyValues, meanOf, percentileOf } from './simulate/latencies.ts'
import type { ReplicaTraffic } from './simulate/rehearsal.ts'

/** With this many per place, a queue inside the replica is all that grows. */
const PER_PLACE_MAX = 4

/**
 * Largest in-flight limit under the SLOs; with none that a queue could break, the number of places: a full batch and no
 * queue. Null when even one request at a time misses an SLO.
 */
export function admissionLimit(
  engine: EngineModel,
  traffic: ReplicaTraffic,
  promise: { readonly slo: readonly SloTarget[]; readonly noise: LatencyNoise; readonly seed: number },
): number | null {
  const keeps = (clients: number): boolean => {
    const { latencies } = closedLoopReplay(engine, traffic, {
      clients,
      noise: promise.noise,
      seed: promise.seed,
    })
    return promise.slo.every((target) => closedLoopMs(target, latencies) <= target.maxMs)
  }
  if (promise.slo.every(({ metric }) => metric === 'tpot' || metric === 'gap')) {
    return keeps(engine.slots) ? engine.slots : largest(keeps, { kept: 0, missed: engine.slots })
  }
  return largest(keeps, { kept: 0, missed: engine.slots * PER_PLACE_MAX + 1 })
}

function largest(
  keeps: (clients: number) => boolean,
  range: { readonly kept: number; readonly missed: number },
): number | null {
  let { kept, missed } = range
  while (missed - kept > 1) {
    const middle = Math.floor((kept + missed) / 2)
    if (keeps(middle)) kept = middle
    else missed = middle
  }
  return kept === 0 ? null : kept
}

// Gaps are judged by TPOT here: a limit on requests in flight is not the dial for single gaps.
function closedLoopMs({ metric, percentile }: SloTarget, latencies: LatencyValues): number {
  const name =
    metric === 'tpot' || metric === 'gap'
      ? 'tpot'
      : metric === 'e2e' || metric === 'validJson'
        ? 'e2e'
        : 'ttft'
  const values = latencies[name]
  return (percentile === 'mean' ? meanOf(values) : percentileOf(values, percentile)) ?? 0
}
