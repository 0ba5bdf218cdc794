/**
 * What the router is worth. At random, each replica sees the whole irregularity of the traffic: that is the rate
 * lambda_slo, and the safe number of replicas. The best that one queue for all of them could do is to hand every replica
 * requests at a steadier pace: dealt in turn to R replicas, gaps of coefficient of variation c become sums of R gaps,
 * of coefficient c / sqrt(R). The truth of a real router lies between the two.
 */
import { arrivalRateUnderSlo, requestsFor } from './arrival-rate.ts'
import type { SloTarget } from './recommendation.ts'
import { type Replica, replicaEngine } from './replica.ts'
import { type ArrivalPattern, drawRehearsal } from './simulate/rehearsal.ts'

/** Below this a process is as good as constant. */
const CV_MIN = 0.05

/**
 * The rate that one of R replicas takes when requests are dealt in turn, 1/s; null when that cannot be said (a trace,
 * or an SLO below zero load). At the slow end of the fit, as lambda_slo is.
 */
export function dealtRatePerS(
  replica: Replica,
  share: { readonly replicas: number; readonly slots: number | null; readonly slo: readonly SloTarget[] },
): number | null {
  const arrival = dealtArrival(replica.traffic.arrival, share.replicas)
  if (arrival === null) return null
  const engine = replicaEngine(replica, 'slow', share.slots)
  const rehearsal = drawRehearsal(
    { ...replica.traffic, arrival },
    { requests: requestsFor(share.slo) / 2, slots: engine.slots },
    { noise: replica.calibration.noise, seed: replica.question.seed },
  )
  const answer = arrivalRateUnderSlo(rehearsal, engine, share.slo)
  return answer.kind === 'found' ? answer.ratePerS : null
}

/** Smallest number of replicas that carries a demand when one queue feeds them all; at most `replicas`. */
export function pooledReplicas(
  replica: Replica,
  load: {
    readonly replicas: number
    readonly demandPerS: number
    readonly slots: number | null
    readonly slo: readonly SloTarget[]
  },
): number | null {
  const { replicas, demandPerS, slots, slo } = load
  if (replicas <= 1) return replicas
  const best = dealtRatePerS(replica, { replicas, slots, slo })
  if (best === null) return null
  const fewest = Math.min(replicas, Math.ceil(demandPerS / best))
  if (fewest === replicas) return replicas
  // Fewer replicas are dealt a little less evenly; the rate at their number decides.
  const there = dealtRatePerS(replica, { replicas: fewest, slots, slo })
  return there === null ? null : Math.min(replicas, Math.max(fewest, Math.ceil(demandPerS / there)))
}

function dealtArrival(arrival: ArrivalPattern, replicas: number): ArrivalPattern | null {
  if (arrival.process === 'trace') return null
  if (arrival.process === 'constant') return arrival
  const cv = (arrival.process === 'gamma' ? arrival.cv : 1) / Math.sqrt(replicas)
  return cv < CV_MIN ? { process: 'constant' } : { process: 'gamma', cv }
}
