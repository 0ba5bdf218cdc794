/** The workers that are there now. Each writes a heartbeat; one that is silent for ten seconds is not connected. */
import { sql } from 'kysely'
import type { Database } from './database.ts'

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
