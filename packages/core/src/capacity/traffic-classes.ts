/**
 * One fleet for all classes of traffic, or a pool for each?
 *
 * Sharing smooths: busy times of one class meet quiet ones of another, and rounding up happens once. But in a shared
 * batch every class lives by the strictest promise on steps, and short prompts queue behind long ones. So both are
 * computed: pools by each class's own lambda_slo, the shared fleet by the rate of the mix at which *every* class keeps its
 * own promises. Splitting is advised only when it takes fewer GPUs, or when sharing breaks a promise that a pool keeps.
 */
import { firstMissed, largestRate, requestsFor } from './arrival-rate.ts'
import type { Demand, TrafficClass } from './demand.ts'
import { type FleetHardware, fleetSize } from './fleet-size.ts'
import { promisedRate } from './promise.ts'
import type { ClassesAnswer, SloTarget } from './recommendation.ts'
import { lengthsRefused, type Replica, replicaEngine } from './replica.ts'
import { drawMix, replayOfClass } from './simulate/class-mix.ts'

export interface ClassesQuestion {
  /** The replica; its own traffic does not count, its arrivals do. */
  readonly replica: Replica
  readonly classes: readonly TrafficClass[]
  readonly demand: Pick<Demand, 'burstFactor' | 'spareReplicas'>
  readonly hardware: FleetHardware
  /** The batch to set for some promises; null when there is none. */
  readonly batchFor: (slo: readonly SloTarget[]) => number | null
}

/** Answers both ways and advises one of them. */
export function classesAnswer(question: ClassesQuestion): ClassesAnswer {
  const pools = question.classes.map((each) => poolOf(question, each))
  const shared = sharedFleet(question)
  const split = pools.every((pool) => pool.gpus !== null)
    ? pools.reduce((sum, pool) => sum + (pool.gpus ?? 0), 0)
    : null
  return { ...adviceFor(shared?.gpus ?? null, split), shared, pools }
}

/** A replica whose requests have the lengths of a class. */
export function replicaForClass(replica: Replica, { inputTokens, outputTokens }: TrafficClass): Replica {
  const lengths = { inputTokens, outputTokens }
  return {
    ...replica,
    question: { ...replica.question, ...lengths },
    traffic: { ...replica.traffic, ...lengths },
  }
}

function poolOf(question: ClassesQuestion, one: TrafficClass): ClassesAnswer['pools'][number] {
  const nothing = { name: one.name, batch: null, requestsPerS: null, replicas: null, gpus: null }
  const replica = replicaForClass(question.replica, one)
  const lengths = lengthsRefused(replica.question)
  if (lengths !== null) return { ...nothing, refused: lengths }
  const batch = question.batchFor(one.slo)
  if (batch === null) return { ...nothing, refused: 'slo-undecided' }
  const rate = promisedRate(replica, { slo: one.slo, slots: batch, effort: EFFORT })
  if (rate.kind !== 'found') {
    return { ...nothing, refused: rate.kind === 'undecided' ? rate.reason : 'slo-below-zero-load' }
  }
  const size = sizeFor(question, { peakPerS: one.peakRequestsPerS, ratePerS: rate.ratePerS })
  return { name: one.name, batch, requestsPerS: rate.ratePerS, ...size, refused: null }
}

/** Half the requests of a single answer: here rates are compared, not promised to a digit. */
const EFFORT = 0.5

function sharedFleet(question: ClassesQuestion): ClassesAnswer['shared'] {
  const { replica, classes } = question
  const batches = classes.map((each) => question.batchFor(each.slo))
  const refused = classes.some((each) => lengthsRefused(replicaForClass(replica, each).question) !== null)
  const slots = batches.reduce<number | null>((least, batch) => smaller(least, batch), Infinity)
  const busy = classes.filter((each) => each.peakRequestsPerS > 0)
  if (refused || slots === null || busy.length === 0) return null
  const engine = replicaEngine(replica, 'slow', slots)
  const requests = Math.ceil(
    requestsFor(busy.flatMap((each) => each.slo)) * EFFORT * Math.min(3, busy.length),
  )
  const mix = drawMix(
    busy.map((each) => ({ ...each, weight: each.peakRequestsPerS })),
    replica.traffic,
    { requests, slots, noise: replica.calibration.noise, seed: replica.question.seed },
  )
  const answer = largestRate(mix.rehearsal, engine, (replay) => {
    for (const [index, each] of busy.entries()) {
      const missed = firstMissed(each.slo, replayOfClass(replay, mix, index))
      if (missed !== null) return missed
    }
    return null
  })
  if (answer.kind !== 'found') return null
  const peakPerS = busy.reduce((sum, each) => sum + each.peakRequestsPerS, 0)
  return { requestsPerS: answer.ratePerS, ...sizeFor(question, { peakPerS, ratePerS: answer.ratePerS }) }
}

// A class without a batch leaves the shared fleet without one.
function smaller(least: number | null, batch: number | null): number | null {
  return least === null || batch === null ? null : Math.min(least, batch)
}

function sizeFor(
  { demand, hardware }: ClassesQuestion,
  load: { readonly peakPerS: number; readonly ratePerS: number },
): { replicas: number; gpus: number } {
  const { replicas, gpus } = fleetSize(
    {
      demandPerS: load.peakPerS * demand.burstFactor,
      capacityPerReplicaPerS: load.ratePerS,
      spareReplicas: demand.spareReplicas,
    },
    hardware,
  )
  return { replicas, gpus }
}

function adviceFor(
  shared: number | null,
  split: number | null,
): Pick<ClassesAnswer, 'advice' | 'adviceInWords'> {
  if (shared === null) {
    const words =
      split === null
        ? 'Neither one fleet nor pools keep every promise; the pools say which class stands in the way.'
        : `Split: one fleet cannot keep every promise at any size, pools can, with ${split} GPUs.`
    return { advice: 'split', adviceInWords: words }
  }
  if (split !== null && split < shared) {
    return { advice: 'split', adviceInWords: `Split: pools take ${split} GPUs, one fleet ${shared}.` }
  }
  const pools = split === null ? 'pools do not keep every promise' : `pools take ${split}`
  return { advice: 'share', adviceInWords: `Share: one fleet takes ${shared} GPUs, ${pools}.` }
}
