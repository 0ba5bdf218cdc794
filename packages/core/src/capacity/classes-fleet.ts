/** The fleet for several classes of traffic, in the shape of any other fleet: the advised way, with its cost. */
import { meanLength } from '../load/lengths.ts'
import { type CostAnswer, fleetCost, NO_COST } from './cost.ts'
import type { TrafficClass } from './demand.ts'
import type { Purchase } from './purchase.ts'
import type { ClassesAnswer, FleetAnswer } from './recommendation.ts'

export interface ClassesFleetQuestion {
  readonly classes: readonly TrafficClass[]
  readonly answer: ClassesAnswer
  readonly burstFactor: number
  readonly spareReplicas: number
  readonly purchase: Purchase
  readonly successFraction: number
}

/** Null when the advised way has no size. */
export function classesFleet(question: ClassesFleetQuestion): FleetAnswer | null {
  const { classes, answer, burstFactor, purchase } = question
  const size = advisedSize(answer)
  if (size === null) return null
  const peakPerS = classes.reduce((sum, each) => sum + each.peakRequestsPerS, 0)
  const meanPerS = totalMean(classes)
  const spares = question.spareReplicas * (answer.advice === 'share' ? 1 : answer.pools.length)
  const serving = Math.max(0, size.replicas - spares)
  const requestsPerSPerReplica = serving === 0 ? 0 : (peakPerS * burstFactor) / serving
  const cost = costOf(question, { gpus: size.gpus, peakPerS, meanPerS, requestsPerSPerReplica })
  return {
    replicas: size.replicas,
    gpus: size.gpus,
    nodes: purchase.gpusPerNode === null ? null : Math.ceil(size.gpus / purchase.gpusPerNode),
    spares: Math.min(spares, size.replicas),
    interval: [size.replicas, size.replicas],
    router: { independentQueues: size.replicas, pooledQueue: null },
    demand: {
      peakRequestsPerS: peakPerS,
      meanRequestsPerS: meanPerS,
      sizedForRequestsPerS: peakPerS * burstFactor,
    },
    requestsPerSPerReplica,
    priceDate: purchase.priceDate,
    ...(cost ?? NO_COST),
    jobHours: null,
    classes: answer,
  }
}

function advisedSize({ advice, shared, pools }: ClassesAnswer): { replicas: number; gpus: number } | null {
  if (advice === 'share') return shared
  if (pools.some((pool) => pool.gpus === null)) return null
  return {
    replicas: pools.reduce((sum, pool) => sum + (pool.replicas ?? 0), 0),
    gpus: pools.reduce((sum, pool) => sum + (pool.gpus ?? 0), 0),
  }
}

function totalMean(classes: readonly TrafficClass[]): number | null {
  let total = 0
  for (const { meanRequestsPerS } of classes) {
    if (meanRequestsPerS === null) return null
    total += meanRequestsPerS
  }
  return total
}

/** Tokens of a request, averaged over the classes by their peaks. */
function costOf(
  question: ClassesFleetQuestion,
  load: {
    readonly gpus: number
    readonly peakPerS: number
    readonly meanPerS: number | null
    readonly requestsPerSPerReplica: number
  },
): CostAnswer | null {
  const { classes, purchase } = question
  if (purchase.pricePerGpuHour === null || load.peakPerS === 0) return null
  const mean = (lengthOf: (each: TrafficClass) => number): number =>
    classes.reduce((sum, each) => sum + each.peakRequestsPerS * lengthOf(each), 0) / load.peakPerS
  return fleetCost({
    gpus: load.gpus,
    gpusPerReplica: purchase.gpusPerReplica,
    pricePerGpuHour: purchase.pricePerGpuHour,
    capacityPerReplicaPerS: load.requestsPerSPerReplica,
    peakPerS: load.peakPerS,
    meanPerS: load.meanPerS,
    inputTokens: mean((each) => meanLength(each.inputTokens)),
    outputTokens: mean((each) => meanLength(each.outputTokens)),
    successFraction: question.successFraction,
    apiPrice: purchase.apiPrice,
  })
}
