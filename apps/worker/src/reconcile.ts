/**
 * The reconciler: what every worker does besides its work, so that no crash of anything leaves a run behind. It says
 * that this worker is there, looks for unfinished runs that nobody conducts, fires the schedules that are due, and
 * applies retention. It reads Postgres only: a queue that was emptied costs nothing but a second.
 */
import { FLEET_LEASE, isLeaseHeld } from '@loadcurve/store/lease'
import { applyRetention } from '@loadcurve/store/retention'
import { nextUnfinishedRun } from '@loadcurve/store/runs'
import { earliestDueTime, fireDueSchedules } from '@loadcurve/store/schedules'
import { heartbeatWorker, removeWorker } from '@loadcurve/store/workers'
import type { WorkerContext } from './context.ts'
import { type Ticker, tickUntil } from './ticker.ts'

const HEARTBEAT_MS = 2_000
const LOOK_MS = 1_000
/** Schedules are due by the second; the next look comes at the due instant when that is sooner. */
const SCHEDULES_MS = 1_000
const RETENTION_MS = 3_600_000

export interface Reconciler {
  /** Stops looking, and says that this worker leaves. */
  readonly stop: () => Promise<void>
}

/** Starts reconciling. `conduct` looks for unfinished runs and conducts them; it returns at once when somebody does. */
export function startReconciler(
  context: WorkerContext,
  worker: { readonly host: string; readonly pid: number; readonly version: string },
  conduct: () => Promise<void>,
): Reconciler {
  const { db, log, workerId, config } = context
  const warn = (what: string) => (error: unknown) => log.warn({ err: error }, `${what} failed`)
  const present = { id: workerId, ...worker, loadProcesses: config.loadProcesses }
  const tickers: Ticker[] = [
    tickUntil(() => heartbeatWorker(db, present), HEARTBEAT_MS, warn('heartbeat')),
    tickUntil(() => lookForRuns(context, conduct), LOOK_MS, warn('looking for runs')),
    scheduleTicker(context, conduct, warn('firing schedules')),
    tickUntil(() => retain(context), RETENTION_MS, warn('retention')),
  ]
  return {
    stop: async () => {
      await Promise.all(tickers.map((ticker) => ticker.stop()))
      await removeWorker(db, workerId).catch(warn('leaving'))
    },
  }
}

async function lookForRuns({ db }: WorkerContext, conduct: () => Promise<void>): Promise<void> {
  if ((await nextUnfinishedRun(db)) === null || (await isLeaseHeld(db, FLEET_LEASE))) return
  // Not awaited: it may last for hours, and this look must go on should it fail.
  void conduct()
}

function scheduleTicker(
  { db, log }: WorkerContext,
  conduct: () => Promise<void>,
  onError: (error: unknown) => void,
): Ticker {
  const fire = async () => {
    const firings = await fireDueSchedules(db, Date.now())
    for (const firing of firings) log.info({ ...firing }, 'schedule')
    if (firings.length > 0) void conduct()
    const dueAt = await earliestDueTime(db)
    return dueAt === null ? SCHEDULES_MS : Math.min(SCHEDULES_MS, Math.max(0, dueAt.getTime() - Date.now()))
  }
  return tickUntil(fire, SCHEDULES_MS, onError)
}

async function retain({ db, log, config }: WorkerContext): Promise<void> {
  const counts = await applyRetention(db, config.retention)
  if (counts.runsDeleted + counts.runsStripped > 0) log.info(counts, 'retention')
}
