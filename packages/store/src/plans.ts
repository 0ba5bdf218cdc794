/** Plans as people wrote them, with a version that counts their edits. */
import { randomUUID } from 'node:crypto'
import type { PlanInput } from '@loadcurve/core/plan/schema'
import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Database } from './database.ts'
import { json, type PlansTable } from './schema.ts'

export interface StoredPlan {
  readonly id: string
  readonly name: string
  readonly input: PlanInput
  /** 1 when new; each edit adds one. */
  readonly version: number
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface PlanPage {
  readonly plans: readonly StoredPlan[]
  /** Pass it as `before` to get the next page; null on the last one. */
  readonly nextBefore: number | null
}

export async function createPlan(db: Database, input: PlanInput): Promise<StoredPlan> {
  const row = await db
    .insertInto('plans')
    .values({ id: randomUUID(), name: input.name, input: json(input) })
    .returningAll()
    .executeTakeFirstOrThrow()
  return toPlan(row)
}

export async function getPlan(db: Database, id: string): Promise<StoredPlan | null> {
  const row = await db
    .selectFrom('plans')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row === undefined ? null : toPlan(row)
}

/** Plans, newest first. */
export async function listPlans(
  db: Database,
  { limit, before }: { limit: number; before?: number | undefined },
): Promise<PlanPage> {
  const rows = await db
    .selectFrom('plans')
    .selectAll()
    .where('deleted_at', 'is', null)
    .$if(before !== undefined, (query) => query.where('sequence', '<', before ?? 0))
    .orderBy('sequence', 'desc')
    .limit(limit + 1)
    .execute()
  const page = rows.slice(0, limit)
  return {
    plans: page.map(toPlan),
    nextBefore: rows.length > limit ? (page.at(-1)?.sequence ?? null) : null,
  }
}

/** Replaces what a plan says; null when there is no such plan. Runs keep the copy that they started with. */
export async function replacePlan(db: Database, id: string, input: PlanInput): Promise<StoredPlan | null> {
  const row = await db
    .updateTable('plans')
    .set({ name: input.name, input: json(input), version: sql<number>`version + 1`, updated_at: new Date() })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
  return row === undefined ? null : toPlan(row)
}

/** Hides a plan and ends its schedule; its runs stay readable. False when there is no such plan. */
export async function deletePlan(db: Database, id: string): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    await transaction.deleteFrom('schedules').where('plan_id', '=', id).execute()
    const { numUpdatedRows } = await transaction
      .updateTable('plans')
      .set({ deleted_at: new Date() })
      .where('id', '=', id)
      .where('deleted_at', 'is', null)
      .executeTakeFirstOrThrow()
    return numUpdatedRows > 0n
  })
}

function toPlan(row: Selectable<PlansTable>): StoredPlan {
  const { id, name, input, version } = row
  return { id, name, input, version, createdAt: row.created_at, updatedAt: row.updated_at }
}
