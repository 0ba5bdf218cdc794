/** The fleet for a demand: replicas, GPUs, what they cost, and the ends between which the truth lies. */
import { type ApiPrice, type CostAnswer, fleetCost, NO_COST } from './cost.ts'
import { type Demand, demandRates } from './demand.ts'
import { type FleetHardware, fleetSize } from './fleet-size.ts'
import type { FleetAnswer } from './recommendation.ts'

export interface FleetQuestion {
  readonly demand: Demand
  readonly hardware: FleetHardware
  readonly pricePerGpuHour: number | null
  readonly priceDate: string | null
  readonly apiPrice: ApiPrice | null
  /** What one replica takes. */
  readonly replica: {
    /** lambda_slo and its interval, 1/s. */
    readonly ratePerS: number
    readonly interval: readonly [number, number]
    /** Requests/s with the batch always full: what a job gets. */
    readonly capacityPerS: number
    /** Mean time of a request in the replica at lambda_slo, s. */
    readonly residenceS: number
    readonly inputTokens: number
    readonly outputTokens: number
    readonly successFraction: number
  }
  /** Replicas with one queue for all of them; asked with the number under independent queues. */
  readonly pooled: (load: { readonly replicas: number; readonly demandPerS: number }) => number | null
}

/** Sizes and prices a fleet. Throws RangeError on a negative demand or a price that is not positive. */
export function fleetAnswer(question: FleetQuestion): FleetAnswer {
  const { demand, hardware, replica } = question
  const rates = demandRates(demand, replica.residenceS)
  const isJob = rates.form === 'job'
  const size = (capacityPerReplicaPerS: number) =>
    fleetSize(
      { demandPerS: rates.sizedForPerS, capacityPerReplicaPerS, spareReplicas: demand.spareReplicas },
      hardware,
    )
  const perReplicaPerS = isJob ? replica.capacityPerS : replica.ratePerS
  const chosen = size(perReplicaPerS)
  const best = isJob ? chosen : size(replica.interval[1])
  const pooledServing = isJob
    ? chosen.serving
    : question.pooled({ replicas: chosen.serving, demandPerS: rates.sizedForPerS })
  const cost = costOf(question, { gpus: chosen.gpus, ...rates, perReplicaPerS })
  return {
    replicas: chosen.replicas,
    gpus: chosen.gpus,
    nodes: chosen.nodes,
    spares: chosen.spares,
    interval: [best.replicas, chosen.replicas],
    router: {
      independentQueues: chosen.replicas,
      pooledQueue: pooledServing === null ? null : pooledServing + chosen.spares,
    },
    demand: {
      peakRequestsPerS: rates.peakPerS,
      meanRequestsPerS: rates.meanPerS,
      sizedForRequestsPerS: rates.sizedForPerS,
    },
    requestsPerSPerReplica: perReplicaPerS,
    priceDate: question.priceDate,
    ...(cost ?? NO_COST),
    jobHours: jobHours(demand, { serving: chosen.serving, perReplicaPerS }),
    classes: null,
  }
}

function costOf(
  question: FleetQuestion,
  load: {
    readonly gpus: number
    readonly peakPerS: number
    readonly meanPerS: number | null
    readonly perReplicaPerS: number
  },
): CostAnswer | null {
  const { replica, pricePerGpuHour } = question
  if (pricePerGpuHour === null) return null
  return fleetCost({
    gpus: load.gpus,
    gpusPerReplica: question.hardware.gpusPerReplica,
    pricePerGpuHour,
    capacityPerReplicaPerS: load.perReplicaPerS,
    peakPerS: load.peakPerS,
    meanPerS: load.meanPerS,
    inputTokens: replica.inputTokens,
    outputTokens: replica.outputTokens,
    successFraction: replica.successFraction,
    apiPrice: question.apiPrice,
  })
}

// Spares do not work on the job: it must be done on time without them.
function jobHours(
  demand: Demand,
  fleet: { readonly serving: number; readonly perReplicaPerS: number },
): number | null {
  if (demand.job === null || fleet.serving === 0) return null
  return demand.job.requests / (fleet.serving * fleet.perReplicaPerS * 3600)
}
