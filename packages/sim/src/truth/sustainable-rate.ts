/**
 * lambda_slo: the largest arrival rate at which one server keeps every objective, found by running the engine. Bisection over
 * the rate on common random numbers (each rate meets the same users, only closer together), pooled over several seeds.
 */
import { type OpenLoopOptions, runOpenLoop } from '../engine/open-loop.ts'
import type { VirtualRequest, Workload } from '../engine/virtual-run.ts'
import type { ServerLaw } from '../model/law.ts'
import { closedLoopTruth } from './closed-loop-truth.ts'
import { e2eOf, meanOf, quantileOf, tpotOf, ttftOf } from './run-summary.ts'

/** An objective: this percentile (or the mean) of this metric stays at or below `maxMs`. TTFT counts from the arrival. */
export interface Objective {
  readonly metric: 'ttft' | 'tpot' | 'e2e'
  readonly percentile: number | 'mean'
  readonly maxMs: number
}

export interface RateQuestion {
  readonly law: ServerLaw
  readonly workload: Workload
  /** Coefficient of variation of the gaps between arrivals; 1 is Poisson. */
  readonly arrivalCv: number
  readonly objectives: readonly Objective[]
  /** Requests per run, and one run per seed. */
  readonly requests: number
  readonly seeds: readonly number[]
  /** The search ends when the bracket is this narrow, relative to the rate. */
  readonly toleranceFraction: number
}

export interface SustainableRate {
  /** Requests per second; 0 when even an idle server misses an objective. */
  readonly ratePerS: number
  /** ratePerS over the throughput of a saturated closed loop. */
  readonly utilisation: number
  /** Time-averaged decode batch at that rate; null when the rate is 0. */
  readonly decodeBatch: number | null
  /** The objectives that break first, just above the rate. */
  readonly bindings: readonly Objective[]
}

/** An idle server, for practical purposes. */
const IDLE_UTILISATION = 0.001

/** @throws RangeError without objectives or seeds */
export function sustainableRate(question: RateQuestion): SustainableRate {
  if (question.objectives.length === 0)
    throw new RangeError('a sustainable rate needs at least one objective')
  if (question.seeds.length === 0) throw new RangeError('a sustainable rate needs at least one seed')
  const { law, workload } = question
  const capacityPerS = closedLoopTruth({ law, workload, concurrency: 4 * law.maxNumSeqs }).requestsPerS
  let holdsPerS = IDLE_UTILISATION * capacityPerS
  const idle = tryRate(question, holdsPerS)
  if (idle.broken.length > 0) return { ratePerS: 0, utilisation: 0, decodeBatch: null, bindings: idle.broken }
  // Beyond it the queue grows for ever, even if a finite run does not get to show it.
  let breaksPerS = capacityPerS
  let decodeBatch = idle.decodeBatch
  let bindings = question.objectives
  while (breaksPerS - holdsPerS > question.toleranceFraction * holdsPerS) {
    const ratePerS = (holdsPerS + breaksPerS) / 2
    const trial = tryRate(question, ratePerS)
    if (trial.broken.length > 0) {
      breaksPerS = ratePerS
      bindings = trial.broken
    } else {
      holdsPerS = ratePerS
      decodeBatch = trial.decodeBatch
    }
  }
  return { ratePerS: holdsPerS, utilisation: holdsPerS / capacityPerS, decodeBatch, bindings }
}

function tryRate(
  question: RateQuestion,
  ratePerS: number,
): { broken: readonly Objective[]; decodeBatch: number } {
  const pooled: VirtualRequest[] = []
  const batches: number[] = []
  for (const seed of question.seeds) {
    const options: OpenLoopOptions = {
      law: question.law,
      workload: question.workload,
      arrivals: { ratePerS, cv: question.arrivalCv },
      requests: question.requests,
      seed,
    }
    const run = runOpenLoop(options)
    // A queue without end breaks every objective that time can break.
    if (run.overloaded) return { broken: question.objectives, decodeBatch: run.decodeBatchMean }
    for (const request of run.requests) pooled.push(request)
    batches.push(run.decodeBatchMean)
  }
  const broken = question.objectives.filter((objective) => !holds(objective, pooled))
  return { broken, decodeBatch: meanOf(batches) ?? 0 }
}

function holds({ metric, percentile, maxMs }: Objective, requests: readonly VirtualRequest[]): boolean {
  const values =
    metric === 'tpot' ? requests.flatMap(tpotOf) : requests.map(metric === 'ttft' ? ttftOf : e2eOf)
  const value =
    percentile === 'mean' ? meanOf(values) : quantileOf(Float64Array.from(values).sort(), percentile / 100)
  // Answers of one token have no TPOT to break a objective with.
  return value === null || value <= maxMs
}
