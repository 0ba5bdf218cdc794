/**
 * One attempt at one step, as the conductor sees it: assign the shards, open the barrier when all of them are ready,
 * watch, extend while something is undecided, gather the records, summarise. Everything is written through the lease.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { PlannedStep } from '@loadcurve/core/load/step-level'
import type { ShardRecord } from '@loadcurve/core/metrics/sample'
import { addProgress, type ShardProgress } from '@loadcurve/core/run/progress'
import type { Database } from '@loadcurve/store/database'
import { appendEvent } from '@loadcurve/store/events'
import type { Lease } from '@loadcurve/store/lease'
import { listShards, type StoredShard, shardRecords } from '@loadcurve/store/shards'
import { closeStep, type StepKey, setStartAt, startStep } from '@loadcurve/store/steps'
import { connectedLoadProcesses } from '@loadcurve/store/workers'
import type { WorkerContext } from './context.ts'

export interface StepAssignment {
  readonly key: StepKey
  readonly planned: PlannedStep
  readonly shardsCount: number
  readonly order: unknown
}

export type StepFailureCode =
  | 'load-processes-missing'
  | 'load-process-failed'
  | 'queue-unavailable'
  | 'error-fraction'
  | 'generator-unhealthy'
  | 'budget-requests'
  | 'budget-output-tokens'

/** Why an attempt brought no figures. The code is stable; the conductor repeats the step, boundedly. */
export class StepFailure extends Error {
  readonly code: StepFailureCode
  constructor(code: StepFailureCode, message: string) {
    super(message)
    this.code = code
  }
}

export interface MeasuredShards {
  readonly records: readonly ShardRecord[]
  /** When the load began, by the clock of the database. */
  readonly startAt: Date
}

/** Watches over a running step; called a few times a second. Throws to end the attempt. */
export type StepWatch = (progress: ShardProgress) => Promise<void>

const POLL_MS = 200
/** Forking, warming up and calibrating take about three seconds; a busy queue some more. */
const READY_TIMEOUT_MS = 30_000
/** Time for every shard to see the start before it comes: a few polls. */
const START_IN_MS = 700
/** Progress is said about once a second. */
const SAY_EVERY_MS = 1_000

/**
 * Measures one attempt.
 *
 * @param signal the run was cancelled, the lease was lost or the worker stops
 * @throws StepFailure when the attempt brought no figures; the attempt is closed then
 */
export async function measureStep(
  {
    context,
    lease,
    signal,
    watch,
  }: { context: WorkerContext; lease: Lease; signal: AbortSignal; watch: StepWatch },
  assignment: StepAssignment,
): Promise<MeasuredShards> {
  const { key, planned, shardsCount, order } = assignment
  const { db } = lease
  await startStep(db, { key, holder: lease.holder, ...planned, shardsCount, order })
  await appendEvent(db, key.runId, 'step-started', { ...place(key), ...planned, shardsCount })
  await assignShards(context, assignment)
  await untilReady(db, key, signal)
  const startAt = await setStartAt(db, key, START_IN_MS)
  await untilEnded({ db, key, signal, watch })
  return { records: await shardRecords(db, key), startAt }
}

/** What names an attempt in an event. */
export function place({ step, attempt }: StepKey): { readonly step: number; readonly attempt: number } {
  return { step, attempt }
}

/** Closes an attempt without figures and says so. Its shards see it and kill their load. */
export async function giveUpStep(
  db: Database,
  key: StepKey,
  ending: {
    readonly state: 'failed' | 'abandoned'
    readonly reason: string
    readonly message: string | null
  },
): Promise<void> {
  await closeStep(db, key, ending)
  const { state, reason, message } = ending
  await appendEvent(db, key.runId, `step-${state}`, { ...place(key), reason, message })
}

async function assignShards({ queues }: WorkerContext, { key, shardsCount }: StepAssignment): Promise<void> {
  try {
    for (let shard = 0; shard < shardsCount; shard++) await queues.assignShard({ ...key, shard })
  } catch (error) {
    throw new StepFailure('queue-unavailable', (error as Error).message)
  }
}

// A worker that died is counted until its heartbeat is missed; a step that was dealt to it then need not wait any longer.
async function untilReady(db: Database, key: StepKey, signal: AbortSignal): Promise<void> {
  const deadlineAtMs = performance.now() + READY_TIMEOUT_MS
  for (;;) {
    const shards = await livingShards(db, key)
    const ready = shards.filter(({ state }) => state === 'ready').length
    if (ready === shards.length) return
    const taken = shards.filter(({ workerId }) => workerId !== null).length
    const there = taken < shards.length ? await connectedLoadProcesses(db) : shards.length
    const isTooLate = performance.now() > deadlineAtMs
    if (isTooLate || there < shards.length) {
      const said = isTooLate ? `were ready after ${READY_TIMEOUT_MS / 1000} s` : 'were ready'
      throw new StepFailure(
        'load-processes-missing',
        `${ready} of ${shards.length} load processes ${said}; ${taken} were started, and ${there} are connected`,
      )
    }
    await delay(POLL_MS, undefined, { signal })
  }
}

async function untilEnded(step: {
  readonly db: Database
  readonly key: StepKey
  readonly signal: AbortSignal
  readonly watch: StepWatch
}): Promise<void> {
  const { db, key, signal, watch } = step
  let saidAtMs = 0
  for (;;) {
    await delay(POLL_MS, undefined, { signal })
    const shards = await livingShards(db, key)
    const progress = addProgress(shards.flatMap((shard) => shard.progress ?? []))
    if (shards.every(({ state }) => state === 'finished')) return
    if (progress === null) continue
    await watch(progress)
    if (performance.now() - saidAtMs >= SAY_EVERY_MS) {
      saidAtMs = performance.now()
      await appendEvent(db, key.runId, 'step-progress', { ...place(key), ...progress })
    }
  }
}

async function livingShards(db: Database, key: StepKey): Promise<StoredShard[]> {
  const shards = await listShards(db, key)
  const failed = shards.find(({ state }) => state === 'failed')
  if (failed === undefined) return shards
  throw new StepFailure(
    'load-process-failed',
    `load process ${failed.shard}: ${failed.message ?? 'no reason given'}`,
  )
}
