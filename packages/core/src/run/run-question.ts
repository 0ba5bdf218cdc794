/**
 * From a run to the question that its answer answers: which of its steps enter the fit, and what the plan wants to
 * know. A what-if asks the same question with other words.
 */
import type { CapacityQuestion } from '../capacity/capacity-answer.ts'
import { findModel } from '../capacity/model-catalogue.ts'
import type { ArrivalPattern } from '../capacity/simulate/rehearsal.ts'
import { captureSizesOf } from '../fit/capture-sizes.ts'
import { HELD_OUT } from '../fit/gates.ts'
import type { Level } from '../fit/level.ts'
import type { PrefillProbe } from '../fit/prefill.ts'
import { levelOfSummary } from '../metrics/summary-level.ts'
import type { Plan } from '../plan/schema.ts'
import type { StepAttempt } from './history.ts'

/** Bootstrap replicates: enough for the 5 and 95 % ends of an interval. */
export const DRAWS = 200

/** Shares of the largest measured throughput; closer together where the queue grows fast. */
const PREDICTED_AT = [0.25, 0.5, 0.65, 0.75, 0.83, 0.9] as const

/** The part of the server's fingerprint that the answer uses. */
export interface KnownServer {
  readonly settings: Readonly<Record<string, string | number | boolean>>
}

export interface RunFacts {
  readonly plan: Plan
  readonly attempts: readonly StepAttempt[]
  /** TTFT of the idle server at several prompt lengths, from the preflight. */
  readonly probes: readonly PrefillProbe[]
  readonly server: KnownServer | null
}

/** The question of a run, about the steps that it has finished. */
export function questionOfRun({ plan, attempts, probes, server }: RunFacts): CapacityQuestion {
  const { target, workload, hardware } = plan
  const levels = levelsOfRun(attempts)
  return {
    levels,
    inputTokens: null,
    outputTokens: null,
    experts: findModel(hardware?.model ?? '')?.experts ?? null,
    captureSizes: captureSizesOf(target.captureSizes),
    probes,
    seed: plan.seed,
    draws: DRAWS,
    slo: plan.slo,
    hardware,
    traffic: {
      inputTokens: workload.dataset === null ? workload.inputTokens : null,
      outputTokens: workload.dataset === null ? workload.outputTokens : null,
      arrival: arrivalPattern(plan),
    },
    ratesPerS: ratesToPredict(levels),
    demand: plan.demand,
    stepTokens: numberOf(server?.settings['max_num_batched_tokens']),
    purchase: {
      gpusPerReplica: hardware?.gpusPerReplica ?? 1,
      gpusPerNode: hardware?.gpusPerNode ?? null,
      failureDomain: hardware?.failureDomain ?? 'replica',
      pricePerGpuHour: hardware?.pricePerGpuHour ?? null,
      priceDate: hardware?.priceDate ?? null,
      apiPrice: hardware?.apiPrice ?? null,
    },
  }
}

/**
 * The levels of a run. The held-out one is kept from the fit by name, so that its prediction stands beside what was
 * measured; the step that verifies the answer is no part of it. Where closed-loop steps exist, arrival rates are not
 * mixed into their curve.
 */
export function levelsOfRun(attempts: readonly StepAttempt[]): Level[] {
  const levels = attempts.flatMap(({ step, purpose, state, summary }) => {
    if (state !== 'finished' || summary === null || purpose === 'verify') return []
    const level = levelOfSummary(summary, `step ${step + 1}`)
    return [purpose === 'held-out' ? { ...level, excluded: level.excluded ?? HELD_OUT } : level]
  })
  const closed = levels.filter(({ kind }) => kind === 'closed-loop')
  return closed.length > 0 ? closed : levels
}

/**
 * Arrival rates at which the answer predicts latency, so that the way into the queue can be seen and not only its end:
 * a quarter to nine tenths of the largest throughput that any level reached.
 */
function ratesToPredict(levels: readonly Level[]): number[] {
  const largestPerS = Math.max(0, ...levels.map(({ requestsPerS }) => requestsPerS ?? 0))
  if (largestPerS === 0) return []
  return PREDICTED_AT.map((utilisation) => Number((utilisation * largestPerS).toPrecision(3)))
}

// A ramp has no steady rate that a fleet could be sized for; its mean arrives like independent users do.
function arrivalPattern({ workload }: Plan): ArrivalPattern {
  const { process, cv, trace } = workload.arrival
  if (process === 'constant') return { process }
  if (process === 'gamma') return { process, cv }
  const arrivals = trace?.arrivals ?? null
  if (process === 'trace' && arrivals !== null) {
    return { process, offsetsMs: arrivals.map(({ atS }) => (atS - (arrivals[0]?.atS ?? 0)) * 1000) }
  }
  return { process: 'poisson' }
}

function numberOf(value: string | number | boolean | undefined): number | null {
  const number = Number(value)
  return value === undefined || value === '' || typeof value === 'boolean' || !(number > 0) ? null : number
}
