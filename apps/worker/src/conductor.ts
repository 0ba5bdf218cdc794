/** What the parts of a conductor share while it holds the lease. */
import type { Lease } from '@loadcurve/store/lease'
import type { WorkerContext } from './context.ts'
import type { Log } from './log.ts'

export interface Conductor {
  readonly context: WorkerContext
  readonly lease: Lease
  /** The run was cancelled, the lease was lost, or the worker stops. */
  readonly signal: AbortSignal
  readonly log: Log
}

/** The run cannot be carried out; the code is stable. */
export class RunFailure extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
