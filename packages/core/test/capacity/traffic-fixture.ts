import type { LatencyNoise } from '@loadcurve/core/capacity/simulate/latencies'
import {
  drawRehearsal,
  type Rehearsal,
  type ReplicaTraffic,
} from '@loadcurve/core/capacity/simulate/rehearsal'
import { FIXED, LENGTHS } from './law-fixture.ts'

export const SILENT: LatencyNoise = { ttftSigma: 0, tpotSigma: 0 }

export function poissonTraffic(over: Partial<ReplicaTraffic> = {}): ReplicaTraffic {
  return {
    inputTokens: FIXED(LENGTHS.inputTokens),
    outputTokens: FIXED(LENGTHS.outputTokens, 20),
    arrival: { process: 'poisson' },
    workSigma: 0,
    ...over,
  }
}

export function rehearsalOf(requests: number, over: Partial<ReplicaTraffic> = {}, seed = 1): Rehearsal {
  return drawRehearsal(poissonTraffic(over), { requests, slots: 32 }, { noise: SILENT, seed })
}
