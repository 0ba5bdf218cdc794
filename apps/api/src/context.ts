/** The parts of the service that routes use: handed in by the server, or by a test. */
import type { TargetPolicy } from '@loadcurve/core/plan/target-policy'
import type { Database } from '@loadcurve/store/database'
import type { EventFeed } from '@loadcurve/store/events'
import type { Compute } from './compute.ts'

export interface ApiContext {
  readonly db: Database
  readonly events: EventFeed
  /** Tells a worker to look at a run. */
  readonly nudge: (runId: string) => Promise<void>
  readonly policy: TargetPolicy
  /** Is this one of the keys in the store? */
  readonly findKey: (key: string) => Promise<boolean>
  /** Does the store hold any key that is not revoked? */
  readonly anyKey: () => Promise<boolean>
  readonly eventStreamsMax: number
  /** Milliseconds since 1970; handed in so that schedules can be tested. */
  readonly nowMs: () => number
  /** Answers that take seconds, in a thread of its own. */
  readonly compute: Compute
  /** Folder of the built dashboard; null when there is none. */
  readonly dashboardDir: string | null
}
