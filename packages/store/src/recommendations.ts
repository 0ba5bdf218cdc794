/** The answer of a run. */
import type { Recommendation } from '@loadcurve/core/capacity/recommendation'
import type { Database } from './database.ts'
import { json } from './schema.ts'

/** Stores the answer of a run, or replaces it: the verify step comes after the first one. */
export async function saveRecommendation(
  db: Database,
  runId: string,
  recommendation: Recommendation,
): Promise<void> {
  await db
    .insertInto('recommendations')
    .values({ run_id: runId, recommendation: json(recommendation) })
    .onConflict((conflict) =>
      conflict.column('run_id').doUpdateSet({ recommendation: json(recommendation), created_at: new Date() }),
    )
    .execute()
}

export async function getRecommendation(db: Database, runId: string): Promise<Recommendation | null> {
  const row = await db
    .selectFrom('recommendations')
    .select('recommendation')
    .where('run_id', '=', runId)
    .executeTakeFirst()
  return row?.recommendation ?? null
}
