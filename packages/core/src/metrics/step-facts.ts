/** What a summary needs to know of a step beyond its samples. */
import type { StepLevel } from '../load/step-level.ts'
import type { SloTarget } from '../slo/target.ts'

export interface StepFacts {
  readonly level: StepLevel
  /** Who sets `level.batch`. */
  readonly batchControl: 'none' | 'server' | 'request'
  readonly thinkTimeS: number
  readonly slo: readonly SloTarget[]
  /** True: the server was asked to go on to the given length (`ignoreEos`), so other lengths are a fault. */
  readonly lengthsForced: boolean
  /** True: the plan wants prompts to share what a prefix cache may hold. */
  readonly cacheReuse: boolean
  /** TTFT of an idle server for prompts of this length, ms, from the preflight; null: not measured. */
  readonly zeroLoadTtftMs: number | null
  readonly gpusPerReplica: number | null
  readonly fingerprint: Readonly<Record<string, unknown>> | null
}
