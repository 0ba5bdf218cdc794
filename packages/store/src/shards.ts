/**
 * Shards: what each load process of a step's attempt did. A record is one compressed blob, so it is there whole or not
 * at all, exactly once (the primary key), and retention is one update.
 */
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { ShardRecord } from '@loadcurve/core/metrics/sample'
import type { ShardState } from '@loadcurve/core/run/state'
import { sql } from 'kysely'
import type { Database } from './database.ts'
import type { StepKey } from './steps.ts'

export interface ShardKey extends StepKey {
  readonly shard: number
}

export interface StoredShard extends ShardKey {
  readonly state: ShardState
  readonly workerId: string | null
  readonly samplesCount: number | null
  readonly message: string | null
}

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** The shards of an attempt, in order. */
export async function listShards(db: Database, { runId, step, attempt }: StepKey): Promise<StoredShard[]> {
  const rows = await db
    .selectFrom('shards')
    .select(['shard', 'state', 'worker_id', 'samples_count', 'message'])
    .where('run_id', '=', runId)
    .where('step', '=', step)
    .where('attempt', '=', attempt)
    .orderBy('shard')
    .execute()
  return rows.map((row) => ({
    ...{ runId, step, attempt, shard: row.shard, state: row.state, message: row.message },
    workerId: row.worker_id,
    samplesCount: row.samples_count,
  }))
}

/** A worker takes a shard; false when it is taken already, so that no queue can make two processes drive one shard. */
export async function claimShard(db: Database, key: ShardKey, workerId: string): Promise<boolean> {
  const { numUpdatedRows } = await ofKey(db, key)
    .set({ worker_id: workerId })
    .where('state', '=', 'assigned')
    .where('worker_id', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Its load process is warm and waits at the barrier. */
export async function markShardReady(db: Database, key: ShardKey): Promise<void> {
  await ofKey(db, key).set({ state: 'ready', ready_at: new Date() }).where('state', '=', 'assigned').execute()
}

/**
 * Stores the record of a shard.
 *
 * @returns false when it is not wanted: the attempt was closed, or the record is stored already
 */
export async function storeShard(db: Database, key: ShardKey, record: ShardRecord): Promise<boolean> {
  const blob = await compress(JSON.stringify(record))
  const { numUpdatedRows } = await ofKey(db, key)
    .set({
      state: 'finished',
      record: blob,
      samples_count: record.samples.length,
      window_end_ms: record.windowEndMs,
      ended_at: new Date(),
    })
    .where('state', '=', 'ready')
    .where(
      sql<boolean>`exists (
        select from steps where steps.run_id = shards.run_id and steps.step = shards.step
          and steps.attempt = shards.attempt and steps.state = 'running')`,
    )
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Its load is over without a record. */
export async function failShard(db: Database, key: ShardKey, message: string): Promise<void> {
  await ofKey(db, key)
    .set({ state: 'failed', message, ended_at: new Date() })
    .where('state', 'in', ['assigned', 'ready'])
    .execute()
}

/** The records of an attempt's shards that are stored. */
export async function shardRecords(db: Database, key: StepKey): Promise<ShardRecord[]> {
  const records: ShardRecord[] = []
  for await (const record of streamRecords(db, key)) records.push(record)
  return records
}

/** The same, one at a time: an export holds one blob in memory, never a run. */
export async function* streamRecords(db: Database, key: StepKey): AsyncGenerator<ShardRecord, void> {
  for (const { shard, state } of await listShards(db, key)) {
    if (state !== 'finished') continue
    const row = await db
      .selectFrom('shards')
      .select('record')
      .where('run_id', '=', key.runId)
      .where('step', '=', key.step)
      .where('attempt', '=', key.attempt)
      .where('shard', '=', shard)
      .executeTakeFirst()
    // Null once retention has taken the samples; the summary of the step stays.
    if (row?.record) yield JSON.parse((await decompress(row.record)).toString('utf8')) as ShardRecord
  }
}

function ofKey(db: Database, { runId, step, attempt, shard }: ShardKey) {
  return db
    .updateTable('shards')
    .where('run_id', '=', runId)
    .where('step', '=', step)
    .where('attempt', '=', attempt)
    .where('shard', '=', shard)
}
