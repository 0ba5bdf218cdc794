/**
 * Runs: one execution of a plan each, in the order in which they were asked for. Whoever asks creates a run and reads
 * it; only the conductor moves it on, with the lease's own connection as `db`.
 */
import { randomUUID } from 'node:crypto'
import type { Plan } from '@loadcurve/core/plan/schema'
import { isOver, type RunState } from '@loadcurve/core/run/state'
import { type Selectable, sql } from 'kysely'
import type { Database } from './database.ts'
import { appendEvent } from './events.ts'
import { json, type RunsTable } from './schema.ts'

export interface StoredRun {
  readonly id: string
  /** Counts runs up; earlier ones are conducted first. */
  readonly sequence: number
  readonly planId: string
  readonly planVersion: number
  /** The resolved plan, as it was when the run was asked for. */
  readonly plan: Plan
  readonly origin: 'manual' | 'schedule'
  /** The instant that a schedule asked for. */
  readonly dueAt: Date | null
  readonly state: RunState
  /** Stable code of why the run ended as it did. */
  readonly reason: string | null
  readonly message: string | null
  readonly preflight: unknown
  readonly fingerprintHash: string | null
  readonly cancelRequestedAt: Date | null
  readonly createdAt: Date
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
}

export interface NewRun {
  readonly planId: string
  readonly planVersion: number
  readonly plan: Plan
  readonly origin: 'manual' | 'schedule'
  /** The same key and plan give the same run again instead of a second one. */
  readonly idempotencyKey?: string | null
  /** At most one run for each due instant of a plan. */
  readonly dueAt?: Date | null
}

/** Creates a run, or finds the one that the same idempotency key or due instant created before. */
export async function createRun(
  db: Database,
  newRun: NewRun,
): Promise<{ readonly run: StoredRun; readonly created: boolean }> {
  const row = await db
    .insertInto('runs')
    .values({
      id: randomUUID(),
      plan_id: newRun.planId,
      plan_version: newRun.planVersion,
      plan: json(newRun.plan),
      origin: newRun.origin,
      idempotency_key: newRun.idempotencyKey ?? null,
      due_at: newRun.dueAt ?? null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) return { run: await earlierRun(db, newRun), created: false }
  await appendEvent(db, row.id, 'run-waiting', { runsAhead: await runsAhead(db, row.sequence) })
  return { run: toRun(row), created: true }
}

export async function getRun(db: Database, id: string): Promise<StoredRun | null> {
  const row = await db.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? null : toRun(row)
}

export interface RunFilter {
  readonly limit: number
  /** Only runs with a smaller sequence: the cursor. */
  readonly before?: number | undefined
  readonly planId?: string | undefined
  readonly state?: RunState | undefined
}

export interface RunPage {
  readonly runs: readonly StoredRun[]
  /** Pass it as `before` to get the next page; null on the last one. */
  readonly nextBefore: number | null
}

/** Runs, newest first. */
export async function listRuns(db: Database, filter: RunFilter): Promise<RunPage> {
  let query = db.selectFrom('runs').selectAll()
  if (filter.before !== undefined) query = query.where('sequence', '<', filter.before)
  if (filter.planId !== undefined) query = query.where('plan_id', '=', filter.planId)
  if (filter.state !== undefined) query = query.where('state', '=', filter.state)
  const rows = await query
    .orderBy('sequence', 'desc')
    .limit(filter.limit + 1)
    .execute()
  const page = rows.slice(0, filter.limit)
  return {
    runs: page.map(toRun),
    nextBefore: rows.length > filter.limit ? (page.at(-1)?.sequence ?? null) : null,
  }
}

/** The run that is to be conducted now: the oldest that is not over. */
export async function nextUnfinishedRun(db: Database): Promise<StoredRun | null> {
  const row = await db
    .selectFrom('runs')
    .selectAll()
    .where('state', 'in', ['waiting', 'running'])
    .orderBy('sequence')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? null : toRun(row)
}

/** How many unfinished runs come before this one. */
export async function runsAhead(db: Database, sequence: number): Promise<number> {
  const { count } = await db
    .selectFrom('runs')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('state', 'in', ['waiting', 'running'])
    .where('sequence', '<', sequence)
    .executeTakeFirstOrThrow()
  return count
}

/**
 * Asks for a cancellation. A run that waits ends at once; one that is being conducted ends when its conductor sees it.
 *
 * @returns the run afterwards (unchanged when it was over), or null when there is no such run
 */
export async function requestCancel(db: Database, id: string): Promise<StoredRun | null> {
  return db.transaction().execute(async (transaction) => {
    const found = await transaction
      .selectFrom('runs')
      .selectAll()
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()
    if (found === undefined) return null
    if (isOver(found.state) || found.cancel_requested_at !== null) return toRun(found)
    const row = await transaction
      .updateTable('runs')
      .set({ cancel_requested_at: new Date() })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    await appendEvent(transaction, id, 'cancel-requested', {})
    if (found.state !== 'waiting') return toRun(row)
    return endRun(transaction, id, { state: 'cancelled', reason: 'cancelled', message: null })
  })
}

/** Moves a waiting run to running; its first conductor's start time stays. */
export async function startRun(db: Database, id: string): Promise<void> {
  await db
    .updateTable('runs')
    .set({ state: 'running', started_at: sql<Date>`coalesce(started_at, now())` })
    .where('id', '=', id)
    .where('state', 'in', ['waiting', 'running'])
    .execute()
}

export async function savePreflight(
  db: Database,
  id: string,
  { preflight, fingerprintHash }: { preflight: unknown; fingerprintHash: string | null },
): Promise<void> {
  await db
    .updateTable('runs')
    .set({ preflight: json(preflight), fingerprint_hash: fingerprintHash })
    .where('id', '=', id)
    .execute()
}

export interface RunEnding {
  readonly state: 'finished' | 'failed' | 'cancelled'
  readonly reason: string | null
  readonly message: string | null
}

/** Ends a run and says so in its history. A run that is over already stays as it is. */
export async function endRun(db: Database, id: string, ending: RunEnding): Promise<StoredRun> {
  const { state, reason, message } = ending
  const row = await db
    .updateTable('runs')
    .set({ state, reason, message, finished_at: new Date() })
    .where('id', '=', id)
    .where('state', 'in', ['waiting', 'running'])
    .returningAll()
    .executeTakeFirst()
  if (row !== undefined) {
    await appendEvent(db, id, `run-${state}`, { reason, message })
    return toRun(row)
  }
  const over = await getRun(db, id)
  if (over === null) throw new Error(`there is no run ${id}`)
  return over
}

async function earlierRun(db: Database, { planId, idempotencyKey, dueAt }: NewRun): Promise<StoredRun> {
  const row = await db
    .selectFrom('runs')
    .selectAll()
    .where('plan_id', '=', planId)
    .where(({ or, eb }) =>
      or([eb('idempotency_key', '=', idempotencyKey ?? null), eb('due_at', '=', dueAt ?? null)]),
    )
    .executeTakeFirstOrThrow()
  return toRun(row)
}

function toRun(row: Selectable<RunsTable>): StoredRun {
  const { id, sequence, plan, origin, state, reason, message, preflight } = row
  return {
    ...{ id, sequence, plan, origin, state, reason, message, preflight },
    planId: row.plan_id,
    planVersion: row.plan_version,
    dueAt: row.due_at,
    fingerprintHash: row.fingerprint_hash,
    cancelRequestedAt: row.cancel_requested_at,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  }
}
