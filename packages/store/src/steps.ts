/**
 * Steps: the attempts at measuring the levels of a run. The conductor writes them, with the lease's own connection as
 * `db`; everybody else reads.
 */
import type { StepLevel, StepPurpose } from '@loadcurve/core/load/step-level'
import type { TargetReading } from '@loadcurve/core/metrics/sample'
import type { StepSummary } from '@loadcurve/core/metrics/step-summary'
import type { StepState } from '@loadcurve/core/run/state'
import { type Selectable, sql } from 'kysely'
import type { Database } from './database.ts'
import { HEARTBEAT_STALE_MS, leaseIsHeld } from './lease.ts'
import { json, type StepsTable } from './schema.ts'

/** Names one attempt at one step. */
export interface StepKey {
  readonly runId: string
  /** 0, 1, 2, ... in the order in which the run measures. */
  readonly step: number
  /** 1, 2, ...: a repeated step keeps its number. */
  readonly attempt: number
}

export interface StoredStep extends StepKey {
  readonly purpose: StepPurpose
  readonly level: StepLevel
  readonly shardsCount: number
  readonly order: unknown
  readonly state: StepState
  /** When the load began, by the clock of the database. */
  readonly startAt: Date | null
  readonly summary: StepSummary | null
  /** What the fit of the other steps said about this level before it was measured. */
  readonly predicted: unknown
  /** Code of the gate that keeps this step out of the fit. */
  readonly excluded: string | null
  readonly reason: string | null
  readonly message: string | null
  readonly createdAt: Date
  readonly finishedAt: Date | null
}

export interface NewStep {
  readonly key: StepKey
  readonly holder: string
  readonly purpose: StepPurpose
  readonly level: StepLevel
  readonly shardsCount: number
  /** What every load process of the step is told; only its part differs. */
  readonly order: unknown
}

/** Begins an attempt and assigns its shards. */
export async function startStep(
  db: Database,
  { key, holder, purpose, level, shardsCount, order }: NewStep,
): Promise<void> {
  const columns = keyColumns(key)
  await db.transaction().execute(async (transaction) => {
    await transaction
      .insertInto('steps')
      .values({
        ...columns,
        holder,
        purpose,
        batch: level.batch,
        concurrency: level.concurrency,
        rate_per_s: level.ratePerS,
        shards_count: shardsCount,
        order: json(order),
      })
      .execute()
    await transaction
      .insertInto('shards')
      .values(Array.from({ length: shardsCount }, (_, shard) => ({ ...columns, shard })))
      .execute()
  })
}

/** The number of the next attempt at a step: 1 when it was never begun. */
export async function nextAttempt(db: Database, runId: string, step: number): Promise<number> {
  const { last } = await db
    .selectFrom('steps')
    .select(({ fn }) => fn.coalesce(fn.max('attempt'), sql<number>`0`).as('last'))
    .where('run_id', '=', runId)
    .where('step', '=', step)
    .executeTakeFirstOrThrow()
  return last + 1
}

/** Opens the barrier: the load begins in `inMs` from now, by the clock of the database. Returns that instant. */
export async function setStartAt(db: Database, key: StepKey, inMs: number): Promise<Date> {
  const row = await ofKey(db, key)
    .set({ start_at: sql<Date>`clock_timestamp() + ${inMs} * interval '1 millisecond'` })
    .returning('start_at')
    .executeTakeFirstOrThrow()
  return row.start_at as Date
}

/** Asks every shard to show what it has so far; returns the number of the look, which the answers carry. */
export async function askForLook(db: Database, key: StepKey): Promise<number> {
  const row = await ofKey(db, key)
    .set({ look: sql<number>`look + 1` })
    .returning('look')
    .executeTakeFirstOrThrow()
  return row.look
}

/** Moves the end of the window to a later instant, step time, ms. */
export async function extendStep(db: Database, key: StepKey, untilMs: number): Promise<void> {
  await ofKey(db, key).set({ extend_until_ms: untilMs }).execute()
}

export interface StepResult {
  readonly summary: StepSummary
  readonly predicted: unknown
  readonly excluded: string | null
}

/** Records what an attempt measured: from now on it is part of the run's history, once. */
export async function finishStep(db: Database, key: StepKey, result: StepResult): Promise<void> {
  const { numUpdatedRows } = await ofKey(db, key)
    .set({
      state: 'finished',
      summary: json(result.summary),
      predicted: json(result.predicted),
      excluded: result.excluded,
      finished_at: new Date(),
    })
    .where('state', '=', 'running')
    .executeTakeFirstOrThrow()
  if (numUpdatedRows !== 1n) throw new Error(`step ${key.step}, attempt ${key.attempt} is not being measured`)
}

/** Closes an attempt that brought no figures. */
export async function closeStep(
  db: Database,
  key: StepKey,
  ending: {
    readonly state: 'failed' | 'abandoned'
    readonly reason: string
    readonly message: string | null
  },
): Promise<void> {
  await ofKey(db, key)
    .set({ ...ending, finished_at: new Date() })
    .where('state', '=', 'running')
    .execute()
}

/** Every attempt of a run, in order. */
export async function listSteps(db: Database, runId: string): Promise<StoredStep[]> {
  const rows = await db
    .selectFrom('steps')
    .selectAll()
    .where('run_id', '=', runId)
    .orderBy('step')
    .orderBy('attempt')
    .execute()
  return rows.map(toStep)
}

export async function getStep(db: Database, key: StepKey): Promise<StoredStep | null> {
  const { run_id, step, attempt } = keyColumns(key)
  const row = await db
    .selectFrom('steps')
    .selectAll()
    .where('run_id', '=', run_id)
    .where('step', '=', step)
    .where('attempt', '=', attempt)
    .executeTakeFirst()
  return row === undefined ? null : toStep(row)
}

export interface StepLife {
  /** False: its load must stop. The attempt is closed, its run cancelled, or its conductor gone. */
  readonly isLive: boolean
  readonly startAt: Date | null
  /** Number of the last look that the conductor asked for. */
  readonly look: number
  readonly extendUntilMs: number | null
  /** The clock of the database when it answered. */
  readonly now: Date
}

/** What a shard asks again and again while it loads: is this attempt still wanted? */
export async function stepLife(db: Database, key: StepKey, leaseName: string): Promise<StepLife> {
  const { rows } = await sql<StepLife>`
    select
      steps.state = 'running' and runs.cancel_requested_at is null and ${leaseIsHeld(leaseName)}
        and leases.holder = steps.holder
        and leases.heartbeat_at > clock_timestamp() - ${HEARTBEAT_STALE_MS} * interval '1 millisecond' as "isLive",
      steps.start_at as "startAt",
      steps.look,
      steps.extend_until_ms as "extendUntilMs",
      clock_timestamp() as now
    from steps join runs on runs.id = steps.run_id join leases on leases.name = ${leaseName}
    where steps.run_id = ${key.runId} and steps.step = ${key.step} and steps.attempt = ${key.attempt}`.execute(
    db,
  )
  return rows[0] ?? { isLive: false, startAt: null, look: 0, extendUntilMs: null, now: new Date() }
}

/** Stores what the target's own metrics said during an attempt. */
export async function saveTargetReadings(
  db: Database,
  key: StepKey,
  readings: readonly TargetReading[],
): Promise<void> {
  await db
    .insertInto('target_metrics')
    .values({ ...keyColumns(key), readings: json(readings) })
    .execute()
}

/** The target's own metrics during an attempt; empty when none were read. */
export async function targetReadings(db: Database, key: StepKey): Promise<readonly TargetReading[]> {
  const row = await db
    .selectFrom('target_metrics')
    .select('readings')
    .where('run_id', '=', key.runId)
    .where('step', '=', key.step)
    .where('attempt', '=', key.attempt)
    .executeTakeFirst()
  return row?.readings ?? []
}

function ofKey(db: Database, { runId, step, attempt }: StepKey) {
  return db
    .updateTable('steps')
    .where('run_id', '=', runId)
    .where('step', '=', step)
    .where('attempt', '=', attempt)
}

function keyColumns({ runId, step, attempt }: StepKey) {
  return { run_id: runId, step, attempt }
}

function toStep(row: Selectable<StepsTable>): StoredStep {
  const { step, attempt, purpose, order, state, summary, predicted, excluded, reason, message } = row
  return {
    ...{ step, attempt, purpose, order, state, summary, predicted, excluded, reason, message },
    runId: row.run_id,
    level: { batch: row.batch, concurrency: row.concurrency, ratePerS: row.rate_per_s },
    shardsCount: row.shards_count,
    startAt: row.start_at,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  }
}
