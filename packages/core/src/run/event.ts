/**
 * What is said about a run while it goes on. Events are the only path by which anybody learns of progress: they are
 * appended to the run's history, numbered from 1 without a gap, and replayed to whoever reads late.
 */

export const RUN_EVENT_KINDS = [
  'run-waiting',
  'no-worker-connected',
  'run-started',
  'run-resumed',
  'preflight',
  'step-started',
  'step-progress',
  'step-extended',
  'step-finished',
  'step-failed',
  'step-abandoned',
  'cancel-requested',
  'recommendation',
  'run-finished',
  'run-failed',
  'run-cancelled',
] as const
export type RunEventKind = (typeof RUN_EVENT_KINDS)[number]

export interface RunEvent {
  readonly runId: string
  /** 1, 2, 3, ... within the run. */
  readonly id: number
  readonly kind: RunEventKind
  readonly data: Readonly<Record<string, unknown>>
  /** Wall-clock time, ISO 8601. Names the event; durations are never made of it. */
  readonly at: string
}

/** Does this event close the run's history? */
export function isLastEvent(kind: RunEventKind): boolean {
  return kind === 'run-finished' || kind === 'run-failed' || kind === 'run-cancelled'
}
