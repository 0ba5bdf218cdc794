/**
 * What an owner and its load process say to each other over the IPC channel.
 *
 *     owner                load process
 *     order ------------->  opens the target, calibrates itself
 *           <-------------  ready
 *     go(startAtMs) ----->  drives the step
 *           <-------------  progress, a few times a second, with the samples that ended
 *     extend ------------>
 *           <-------------  result (the record without the samples that progress carried), and exits
 *
 * `abort` ends the load within a second and still brings a result; `kill` ends the process at once. `failed` says that
 * the step could not be driven at all. A channel that closes ends the load process: it never outlives its owner.
 */
import type { CalibrationReadings, ShardRecord } from '@loadcurve/core/metrics/sample'
import type { DriveEnd, Progress, StepOrder } from '../step-order.ts'

export type OwnerMessage =
  | { readonly type: 'order'; readonly order: StepOrder }
  /** The start of the step on the machine's monotonic clock, ms: the same instant for every shard. */
  | { readonly type: 'go'; readonly startAtMs: number }
  /** Move the end of the window, step time, ms. */
  | { readonly type: 'extend'; readonly untilMs: number }
  | { readonly type: 'abort' }
  | { readonly type: 'kill' }

export type LoadMessage =
  | { readonly type: 'ready'; readonly calibration: CalibrationReadings | null }
  | { readonly type: 'progress'; readonly progress: Progress }
  | { readonly type: 'result'; readonly end: DriveEnd; readonly record: ShardRecord }
  | { readonly type: 'failed'; readonly code: string; readonly message: string }

const ownerTypes = ['order', 'go', 'extend', 'abort', 'kill'] as const
const loadTypes = ['ready', 'progress', 'result', 'failed'] as const

export function isOwnerMessage(value: unknown): value is OwnerMessage {
  return hasTypeOf(value, ownerTypes)
}

export function isLoadMessage(value: unknown): value is LoadMessage {
  return hasTypeOf(value, loadTypes)
}

// Both ends are built together, so the type is all that needs a look: anything else on the channel is not ours.
function hasTypeOf(value: unknown, types: readonly string[]): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && types.includes(String(value.type))
}
