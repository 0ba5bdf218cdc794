/**
 * What a load process is told to do: one shard of one step, as plain JSON, so that it can cross a process boundary and
 * stand in a log. It names the target's key (`apiKeyRef`), never holds it: the load process finds the key in its
 * environment.
 */

import type { ShardPart } from '@loadcurve/core/load/split'
import type { StepLevel } from '@loadcurve/core/load/step-level'
import type { Sample, ShardRecord } from '@loadcurve/core/metrics/sample'
import type { PlanTarget, PlanWorkload } from '@loadcurve/core/plan/schema'
import type { ShardProgress } from '@loadcurve/core/run/progress'
import type { WindowRules } from './step-window.ts'

export interface StepOrder {
  readonly schemaVersion: 1
  readonly target: PlanTarget
  readonly workload: PlanWorkload
  /** The level of the whole step: `concurrency` for closed loop, otherwise `ratePerS`. */
  readonly level: StepLevel
  /** Sequences in one request: prompts of a completions call, `n` of a chat call. */
  readonly sequencesPerRequest: number
  readonly part: ShardPart
  /** Of this shard: `requestsMin` and `warmup.endedMin` are not divided any further. */
  readonly window: WindowRules
  /** Closed loop: the first requests are spread over this time; about one residence, and not longer than the warm-up. */
  readonly staggerMs: number
  /** Open loop: arrivals of this shard beyond this many in flight are dropped, and counted. */
  readonly inFlightMax: number
  /** Of this step: arrivals, lengths and prompts are drawn from it. All shards of a step share it. */
  readonly seed: number
  /** Tokens of our words on this target, measured beforehand; null: the built-in guess. */
  readonly promptCalibration: { readonly tokensPerWord: number; readonly overheadTokens: number } | null
  /** Ask for the tokens of each event: preflight saw that events hold several, and that the server tells. Default no. */
  readonly continuousUsage?: boolean
  /** Which targets may be loaded: the operator's list (empty: loopback only), and our own ports, which never may. */
  readonly policy: {
    readonly allowList: string
    readonly ownEndpoints: readonly { readonly host: string; readonly port: number }[]
  }
  /** Measure the load process against a known answer before it says that it is ready (about two seconds). */
  readonly calibrate: boolean
}

/** What an owner sees of a running step, a few times a second. Rates are over the time since the last snapshot. */
export interface Progress extends ShardProgress {
  readonly windowClosedAtMs: number | null
  /** Requests that ended since the last snapshot; the owner collects them. */
  readonly samples: readonly Sample[]
}

/** How a step ended. `aborted`: the owner stopped it, and the record is what there was until then. */
export type DriveEnd = 'measured' | 'drain-limit' | 'aborted'

export interface DriveResult {
  readonly end: DriveEnd
  readonly record: ShardRecord
}
