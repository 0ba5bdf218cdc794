/**
 * Retention: samples weigh the most and are wanted for weeks; summaries and recommendations weigh little and are the
 * nightly history. So each has its own age.
 */
import { sql } from 'kysely'
import type { Database } from './database.ts'

export interface RetentionAges {
  /** Samples and target metrics of runs that ended longer ago are deleted; null keeps them. */
  readonly samplesDays: number | null
  /** Whole runs that ended longer ago are deleted; null keeps them. */
  readonly runsDays: number | null
}

/** Deletes what is older than the ages say; returns how many runs were touched. */
export async function applyRetention(
  db: Database,
  { samplesDays, runsDays }: RetentionAges,
): Promise<{ readonly runsDeleted: number; readonly runsStripped: number }> {
  const runsDeleted = runsDays === null ? 0 : await deleteRuns(db, runsDays)
  const runsStripped = samplesDays === null ? 0 : await deleteSamples(db, samplesDays)
  return { runsDeleted, runsStripped }
}

async function deleteRuns(db: Database, days: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('runs')
    .where('finished_at', '<', before(days))
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

async function deleteSamples(db: Database, days: number): Promise<number> {
  const { rows } = await sql<{ runs: number }>`
    with old as (select id from runs where finished_at < ${before(days)}),
      stripped as (
        update shards set record = null where run_id in (select id from old) and record is not null returning run_id
      ),
      metrics as (delete from target_metrics where run_id in (select id from old))
    select count(distinct run_id) as runs from stripped`.execute(db)
  return rows[0]?.runs ?? 0
}

function before(days: number) {
  return sql<Date>`now() - ${days} * interval '1 day'`
}
