/** What one step of a run sets: the two dials in closed loop, or an arrival rate in open loop. Unset is null. */
export interface StepLevel {
  /** The server's batch limit, or prompts per request; null when the plan does not control it. */
  readonly batch: number | null
  /** Requests kept in flight (closed loop), else null. */
  readonly concurrency: number | null
  /** Mean arrivals per second (open loop), else null. */
  readonly ratePerS: number | null
}

/**
 * Why a step is measured. `anchor`: the same level at the start and the end, to see drift. `held-out`: kept from the
 * fit so that its prediction can be judged. `explore` and `refine`: an adaptive sweep's doubling and its search around
 * the crossing. `between`: a level that the answer found missing between two others. `verify`: the load that the fit promises, tried in open loop.
 */
export const STEP_PURPOSES = ['grid', 'anchor', 'held-out', 'explore', 'refine', 'between', 'verify'] as const
export type StepPurpose = (typeof STEP_PURPOSES)[number]

export interface PlannedStep {
  readonly level: StepLevel
  readonly purpose: StepPurpose
}

/** A step that is over for good, with what the controller needs to know of it. */
export interface FinishedStep extends PlannedStep {
  /** `failed`: no usable figures came out, after all attempts. */
  readonly outcome: 'measured' | 'failed'
  readonly outputTokensPerS: number | null
  /** Did the level keep every SLO? Null: undecided, or no SLO. */
  readonly sloMet: boolean | null
  readonly requests: number
  readonly outputTokens: number
  readonly durationS: number
}

/** The part of a resolved plan that decides which levels are measured. */
export interface SweepPlan {
  readonly sweep: {
    readonly mode: 'grid' | 'adaptive'
    readonly concurrency: readonly number[]
    readonly ratesPerS: readonly number[]
    readonly batch: { readonly control: 'none' | 'server' | 'request'; readonly levels: readonly number[] }
    readonly order: 'shuffled' | 'ascending'
    /** Measure the first level again at the end: a difference is drift. */
    readonly repeatAnchor: boolean
    /** Keep one level out of the fit. */
    readonly holdOut: boolean
    readonly adaptive: {
      readonly start: number
      readonly concurrencyMax: number
      /** Doubling ends when it gains less throughput than this. */
      readonly gainFraction: number
      readonly refineLevels: number
    }
    /** Levels that may be measured beyond the sweep, where the answer finds it too coarse. */
    readonly furtherLevels: number
    readonly verify: boolean
  }
  readonly limits: {
    readonly maxRequests: number
    readonly maxOutputTokens: number
    readonly maxDurationS: number
  }
  readonly seed: number
}

/** The batch limits that a plan steps through; [null] when it leaves the server's own. */
export function batchLevels(plan: SweepPlan): readonly (number | null)[] {
  const { control, levels } = plan.sweep.batch
  return control === 'none' || levels.length === 0 ? [null] : distinct(levels)
}

/** Distinct values, ascending. */
export function distinct(values: readonly number[]): number[] {
  return [...new Set(values)].sort((left, right) => left - right)
}
