/** What the parts of a worker share: made once, handed down, never global. */
import type { Database } from '@loadcurve/store/database'
import type { Queues } from '@loadcurve/store/queue'
import type { WorkerConfig } from './config.ts'
import type { Log } from './log.ts'

export interface WorkerContext {
  readonly workerId: string
  readonly config: WorkerConfig
  readonly db: Database
  readonly queues: Queues
  readonly log: Log
  /** Takes secrets out of a text before it is stored. */
  readonly redact: (text: string) => string
  /** Where the target's keys are looked up. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Aborts when the worker stops: what is going on is given up, in order. */
  readonly stopping: AbortSignal
}
