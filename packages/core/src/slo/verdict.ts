/** The verdict over one promise of one step, with its evidence. */
import type { SloTarget } from './target.ts'

export interface SloVerdict {
  readonly target: SloTarget
  readonly verdict: 'met' | 'missed' | 'undecided'
  /** Requests that the promise applies to; failed ones count, a one-token reply has no TPOT and does not. */
  readonly n: number
  /** What they are worth as independent ones. */
  readonly effectiveN: number
  /** Over the limit, failed ones included; null for a mean. */
  readonly over: number | null
  /** The percentile or mean as measured, ms; null when nothing was. */
  readonly measuredMs: number | null
  /** Further requests that would decide it if the rest goes like the part seen; null: decided, or out of reach. */
  readonly moreRequests: number | null
}
