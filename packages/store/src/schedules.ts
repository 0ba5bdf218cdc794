/**
 * Schedules and what became of them. They live in Postgres alone: a queue that is emptied forgets nothing. Every
 * worker looks for what is due; the row lock and the unique (plan, due instant) of runs make one of them fire it.
 *
 * Missed runs are not piled up: after an outage the latest due instant is fired, and the earlier ones are counted in
 * the history.
 */
import { resolvePlan } from '@loadcurve/core/plan/resolve'
import { type Selectable, sql } from 'kysely'
import type { Database } from './database.ts'
import { createRun } from './runs.ts'
import { lastDueTime, nextDueTimes, type Schedule } from './schedule-times.ts'
import type { SchedulesTable } from './schema.ts'

export interface StoredSchedule extends Schedule {
  readonly planId: string
  readonly enabled: boolean
  readonly nextDueAt: Date | null
  readonly updatedAt: Date
}

export interface Firing {
  readonly planId: string
  readonly dueAt: Date
  readonly outcome: 'fired' | 'missed' | 'refused'
  readonly runId: string | null
  /** Earlier due instants that were passed over. */
  readonly missedCount: number
  readonly message: string | null
}

const MISSED_COUNT_MAX = 1_000
/** A schedule whose runs take longer than its period must not grow without end. */
const WAITING_RUNS_MAX = 100

/** Sets the schedule of a plan. Setting the same again changes nothing, so a firing that is due is not lost. */
export async function setSchedule(
  db: Database,
  planId: string,
  schedule: Schedule & { readonly enabled: boolean },
  nowMs: number,
): Promise<StoredSchedule> {
  const { cron, timeZone, enabled } = schedule
  const [nextDueAt] = nextDueTimes(schedule, { afterMs: nowMs, count: 1 })
  const values = { cron, time_zone: timeZone, enabled, next_due_at: enabled ? (nextDueAt ?? null) : null }
  const row = await db
    .insertInto('schedules')
    .values({ plan_id: planId, ...values })
    .onConflict((conflict) =>
      conflict
        .column('plan_id')
        .doUpdateSet({ ...values, updated_at: new Date(nowMs) })
        .where(
          sql<boolean>`(schedules.cron, schedules.time_zone, schedules.enabled)
            is distinct from (${cron}, ${timeZone}, ${enabled}::boolean)`,
        ),
    )
    .returningAll()
    .executeTakeFirst()
  if (row !== undefined) return toSchedule(row)
  const same = await getSchedule(db, planId)
  if (same === null) throw new Error(`the schedule of plan ${planId} was deleted while it was set`)
  return same
}

export async function getSchedule(db: Database, planId: string): Promise<StoredSchedule | null> {
  const row = await db.selectFrom('schedules').selectAll().where('plan_id', '=', planId).executeTakeFirst()
  return row === undefined ? null : toSchedule(row)
}

export async function deleteSchedule(db: Database, planId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('schedules')
    .where('plan_id', '=', planId)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** What became of a plan's due instants, newest first. */
export async function scheduleHistory(db: Database, planId: string, limit: number): Promise<Firing[]> {
  const rows = await db
    .selectFrom('schedule_history')
    .selectAll()
    .where('plan_id', '=', planId)
    .orderBy('due_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    ...{ planId, dueAt: row.due_at, outcome: row.outcome, runId: row.run_id, message: row.message },
    missedCount: row.missed_count,
  }))
}

/** The earliest instant at which anything is due; null when nothing is scheduled. */
export async function earliestDueTime(db: Database): Promise<Date | null> {
  const row = await db
    .selectFrom('schedules')
    .select(({ fn }) => fn.min('next_due_at').as('due_at'))
    .where('enabled', '=', true)
    .executeTakeFirst()
  return row?.due_at ?? null
}

/**
 * Fires everything that is due. Any number of processes may call it at the same time.
 *
 * @returns what this call fired or refused
 */
export async function fireDueSchedules(db: Database, nowMs: number): Promise<Firing[]> {
  const firings: Firing[] = []
  for (;;) {
    const firing = await fireOne(db, nowMs)
    if (firing === null) return firings
    firings.push(firing)
  }
}

async function fireOne(db: Database, nowMs: number): Promise<Firing | null> {
  return db.transaction().execute(async (transaction) => {
    const row = await transaction
      .selectFrom('schedules')
      .selectAll()
      .where('enabled', '=', true)
      .where('next_due_at', '<=', new Date(nowMs))
      .orderBy('next_due_at')
      .limit(1)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst()
    if (row === undefined || row.next_due_at === null) return null
    const schedule = toSchedule(row)
    const dueAt = latestDue(schedule, row.next_due_at, nowMs)
    const missedCount = countMissed(schedule, row.next_due_at, dueAt)
    const [nextDueAt] = nextDueTimes(schedule, { afterMs: dueAt.getTime(), count: 1 })
    await transaction
      .updateTable('schedules')
      .set({ next_due_at: nextDueAt ?? null })
      .where('plan_id', '=', schedule.planId)
      .execute()
    const firing = await fire(transaction, { planId: schedule.planId, dueAt, missedCount })
    await record(transaction, firing)
    return firing
  })
}

// The stored instant itself, when a changed clock or time-zone table would give an earlier one.
function latestDue(schedule: Schedule, storedDueAt: Date, nowMs: number): Date {
  const last = lastDueTime(schedule, nowMs)
  return last > storedDueAt ? last : storedDueAt
}

function countMissed(schedule: Schedule, storedDueAt: Date, dueAt: Date): number {
  let missed = 0
  let instant = storedDueAt
  while (instant < dueAt && missed < MISSED_COUNT_MAX) {
    missed++
    const [next] = nextDueTimes(schedule, { afterMs: instant.getTime(), count: 1 })
    if (next === undefined) break
    instant = next
  }
  return missed
}

async function fire(
  db: Database,
  { planId, dueAt, missedCount }: Pick<Firing, 'planId' | 'dueAt' | 'missedCount'>,
): Promise<Firing> {
  const refused = (message: string): Firing => ({
    ...{ planId, dueAt, missedCount, message },
    outcome: 'refused',
    runId: null,
  })
  const plan = await db.selectFrom('plans').selectAll().where('id', '=', planId).executeTakeFirstOrThrow()
  const { waiting } = await db
    .selectFrom('runs')
    .select(({ fn }) => fn.countAll<number>().as('waiting'))
    .where('plan_id', '=', planId)
    .where('state', '=', 'waiting')
    .executeTakeFirstOrThrow()
  if (waiting >= WAITING_RUNS_MAX) return refused(`${waiting} runs of this plan are waiting already`)
  const { run } = await createRun(db, {
    planId,
    planVersion: plan.version,
    plan: resolvePlan(plan.input),
    origin: 'schedule',
    dueAt,
  })
  return { planId, dueAt, outcome: 'fired', runId: run.id, missedCount, message: null }
}

async function record(
  db: Database,
  { planId, dueAt, outcome, runId, missedCount, message }: Firing,
): Promise<void> {
  await db
    .insertInto('schedule_history')
    .values({ plan_id: planId, due_at: dueAt, outcome, run_id: runId, missed_count: missedCount, message })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

function toSchedule(row: Selectable<SchedulesTable>): StoredSchedule {
  const { cron, enabled } = row
  return {
    ...{ planId: row.plan_id, cron, timeZone: row.time_zone, enabled },
    nextDueAt: row.next_due_at,
    updatedAt: row.updated_at,
  }
}
