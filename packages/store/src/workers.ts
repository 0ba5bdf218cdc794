/** The workers that are there now. Each writes a heartbeat; one that is silent for ten seconds is not connected. */
import { sql } from 'kysely'
import type { Database } from './database.ts'
import { appendEvent } from './events.ts'

export interface ConnectedWorker {
  readonly id: string
  readonly host: string
  readonly pid: number
  readonly version: string
  /** How many load processes it may run at a time. */
  readonly loadProcesses: number
  readonly seenAt: Date
}

const SILENT_S = 10

/** Says that a worker is there. */
export async function heartbeatWorker(db: Database, worker: Omit<ConnectedWorker, 'seenAt'>): Promise<void> {
  const { id, host, pid, version, loadProcesses } = worker
  await db
    .insertInto('workers')
    .values({ id, host, pid, version, load_processes: loadProcesses })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: sql<Date>`clock_timestamp()` }))
    .execute()
}

/** Says that a worker leaves, and forgets those that left without a word long ago. */
export async function removeWorker(db: Database, id: string): Promise<void> {
  await db
    .deleteFrom('workers')
    .where(({ or, eb }) => or([eb('id', '=', id), eb('seen_at', '<', sql<Date>`now() - interval '1 day'`)]))
    .execute()
}

/** Workers seen within the last ten seconds. */
export async function connectedWorkers(db: Database): Promise<ConnectedWorker[]> {
  const rows = await db
    .selectFrom('workers')
    .selectAll()
    .where('seen_at', '>', sql<Date>`clock_timestamp() - ${SILENT_S} * interval '1 second'`)
    .orderBy('started_at')
    .execute()
  return rows.map(({ id, host, pid, version, load_processes, seen_at }) => ({
    ...{ id, host, pid, version, loadProcesses: load_processes, seenAt: seen_at },
  }))
}

/** How many load processes the connected workers may run at a time, all together. */
export async function connectedLoadProcesses(db: Database): Promise<number> {
  const workers = await connectedWorkers(db)
  return workers.reduce((sum, { loadProcesses }) => sum + loadProcesses, 0)
}

/**
 * Says "no worker connected" in the history of every run that waits for one, once each time they all are away.
 *
 * @returns the runs in whose history it was said now
 */
export async function noteMissingWorkers(db: Database): Promise<string[]> {
  if ((await connectedWorkers(db)).length > 0) return []
  const runs = await db
    .selectFrom('runs')
    .leftJoin('run_events', (join) =>
      join.onRef('run_events.run_id', '=', 'runs.id').onRef('run_events.id', '=', 'runs.last_event_id'),
    )
    .select('runs.id')
    .where('runs.state', 'in', ['waiting', 'running'])
    .where(({ or, eb }) =>
      or([eb('run_events.kind', 'is', null), eb('run_events.kind', '<>', 'no-worker-connected')]),
    )
    .execute()
  for (const { id } of runs) await appendEvent(db, id, 'no-worker-connected', { silentS: SILENT_S })
  return runs.map(({ id }) => id)
}
