/**
 * The conductor: nudge, lock, loop. Whoever gets the lease carries out the unfinished runs, one after another, and
 * reads before every step what is stored: it needs no memory of its own, so that its successor can go on from any
 * point. What it writes goes through the connection that holds the lease; a conductor that lost it cannot write.
 */
import { openAttempts } from '@loadcurve/core/run/history'
import { appendEvent } from '@loadcurve/store/events'
import { acquireLease, FLEET_LEASE, type Lease } from '@loadcurve/store/lease'
import {
  endRun,
  getRun,
  nextUnfinishedRun,
  type RunEnding,
  type StoredRun,
  startRun,
} from '@loadcurve/store/runs'
import { listSteps } from '@loadcurve/store/steps'
import { concludeRun } from './answer.ts'
import { type Conductor, RunFailure } from './conductor.ts'
import type { WorkerContext } from './context.ts'
import { untilDrained } from './drained.ts'
import { giveUpStep } from './measure-step.ts'
import { ensurePreflight } from './run-preflight.ts'
import { sweep } from './sweep.ts'
import { tickUntil } from './ticker.ts'

const CANCEL_LOOK_MS = 250

/** Conducts every unfinished run, oldest first. Returns at once when somebody else holds the lease. */
export async function conductUnfinished(context: WorkerContext): Promise<void> {
  if (context.stopping.aborted) return
  const lease = await acquireLease(context.config.databaseUrl, FLEET_LEASE)
  if (lease === null) return
  try {
    for (;;) {
      const run = await nextUnfinishedRun(lease.db)
      if (run === null || lease.lost.aborted || context.stopping.aborted) return
      await conductRun(context, lease, run)
    }
  } finally {
    await lease.release()
  }
}

async function conductRun(context: WorkerContext, lease: Lease, run: StoredRun): Promise<void> {
  const cancellation = watchCancellation(lease, run.id)
  const conductor: Conductor = {
    context,
    lease,
    signal: AbortSignal.any([cancellation.signal, lease.lost, context.stopping]),
    log: context.log.child({ runId: run.id }),
  }
  try {
    await begin(conductor, run)
    const preflight = await ensurePreflight(conductor, run)
    const reason = await sweep(conductor, run, preflight)
    await concludeRun({ conductor, run, preflight })
    await endRun(lease.db, run.id, { state: 'finished', reason, message: null })
    conductor.log.info({ reason }, 'run finished')
  } catch (error) {
    await cancellation.stop()
    await end(conductor, run, { error, isCancelled: cancellation.signal.aborted })
  } finally {
    await cancellation.stop()
  }
}

async function begin({ lease, log }: Conductor, run: StoredRun): Promise<void> {
  await startRun(lease.db, run.id)
  const isResumed = run.state === 'running'
  await appendEvent(lease.db, run.id, isResumed ? 'run-resumed' : 'run-started', {})
  log.info(isResumed ? 'run resumed' : 'run started')
  if (isResumed) await closeAttempts(lease, run.id, { state: 'abandoned', reason: 'conductor-lost' })
}

/** Closes what is open, and waits until its load is over. */
async function closeAttempts(
  lease: Lease,
  runId: string,
  ending: { readonly state: 'failed' | 'abandoned'; readonly reason: string },
): Promise<void> {
  for (const { step, attempt } of openAttempts(await listSteps(lease.db, runId))) {
    const key = { runId, step, attempt }
    await giveUpStep(lease.db, key, { ...ending, message: null })
    await untilDrained(lease.db, key)
  }
}

async function end(
  { context, lease, log }: Conductor,
  run: StoredRun,
  { error, isCancelled }: { readonly error: unknown; readonly isCancelled: boolean },
): Promise<void> {
  // Whoever takes over closes the open attempt; we cannot write any more.
  if (lease.lost.aborted) return log.warn({ err: lease.lost.reason }, 'the lease was lost')
  if (isCancelled) {
    await closeAttempts(lease, run.id, { state: 'failed', reason: 'cancelled' })
    await endRun(lease.db, run.id, { state: 'cancelled', reason: 'cancelled', message: null })
    return log.info('run cancelled')
  }
  if (context.stopping.aborted) {
    await closeAttempts(lease, run.id, { state: 'abandoned', reason: 'worker-stopped' })
    return log.info('run left to the next conductor')
  }
  const ending = failureOf(error, context.redact)
  log.error({ err: error }, 'run failed')
  await closeAttempts(lease, run.id, { state: 'failed', reason: ending.reason ?? 'internal-error' })
  await endRun(lease.db, run.id, ending)
}

function failureOf(error: unknown, redact: (text: string) => string): RunEnding {
  const message = redact(error instanceof Error ? error.message : String(error))
  return { state: 'failed', reason: error instanceof RunFailure ? error.code : 'internal-error', message }
}

function watchCancellation(lease: Lease, runId: string) {
  const controller = new AbortController()
  const ticker = tickUntil(async () => {
    const run = await getRun(lease.db, runId)
    if (run === null || run.cancelRequestedAt !== null) controller.abort(new Error('the run was cancelled'))
  }, CANCEL_LOOK_MS)
  return { signal: controller.signal, stop: ticker.stop }
}
