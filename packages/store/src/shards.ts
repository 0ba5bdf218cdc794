/**
 * Shards: what each load process of a step's attempt did. A record is one compressed blob, so it is there whole or not
 * at all, exactly once (the primary key), and retention is one update.
 */
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { Sample, ShardRecord } from '@loadcurve/core/metrics/sample'
import type { ShardProgress } from '@loadcurve/core/run/progress'
import type { ShardState } from '@loadcurve/core/run/state'
import { sql } from 'kysely'
import type { Database } from './database.ts'
import { json } from './schema.ts'
import type { StepKey } from './steps.ts'

export interface ShardKey extends StepKey {
  readonly shard: number
}

export interface StoredShard extends ShardKey {
  readonly state: ShardState
  readonly workerId: string | null
  readonly progress: ShardProgress | null
  /** Number of the last look that it answered. */
  readonly look: number
  readonly samplesCount: number | null
  readonly message: string | null
}

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** The shards of an attempt, in order. */
export async function listShards(db: Database, { runId, step, attempt }: StepKey): Promise<StoredShard[]> {
  const rows = await db
    .selectFrom('shards')
    .select(['shard', 'state', 'worker_id', 'progress', 'look', 'samples_count', 'message'])
    .where('run_id', '=', runId)
    .where('step', '=', step)
    .where('attempt', '=', attempt)
    .orderBy('shard')
    .execute()
  return rows.map((row) => ({
    ...{ runId, step, attempt, shard: row.shard, state: row.state, message: row.message },
    workerId: row.worker_id,
    progress: row.progress,
    look: row.look,
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

/** Says how far a shard is. */
export async function saveShardProgress(db: Database, key: ShardKey, progress: ShardProgress): Promise<void> {
  await ofKey(db, key)
    .set({ progress: json(progress) })
    .where('state', '=', 'ready')
    .execute()
}

/** Answers a look with the samples so far, so that the conductor can decide whether it has seen enough. */
export async function answerLook(
  db: Database,
  key: ShardKey,
  { look, samples }: { readonly look: number; readonly samples: readonly Sample[] },
): Promise<void> {
  const partial = await compress(JSON.stringify(samples))
  await ofKey(db, key).set({ look, partial }).where('state', '=', 'ready').execute()
}

/** The samples with which the shards of an attempt answered the last look. */
export async function lookedSamples(db: Database, key: StepKey): Promise<Sample[]> {
  const rows = await db
    .selectFrom('shards')
    .select('partial')
    .where('run_id', '=', key.runId)
    .where('step', '=', key.step)
    .where('attempt', '=', key.attempt)
    .where('partial', 'is not', null)
    .execute()
  const parts = await Promise.all(rows.map(({ partial }) => decompressJson<Sample[]>(partial as Buffer)))
  return parts.flat()
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
      partial: null,
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
    .set({ state: 'failed', message, partial: null, ended_at: new Date() })
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
    if (row?.record) yield await decompressJson<ShardRecord>(row.record)
  }
}

async function decompressJson<T>(blob: Buffer): Promise<T> {
  return JSON.parse((await decompress(blob)).toString('utf8')) as T
}

function ofKey(db: Database, { runId, step, attempt, shard }: ShardKey) {
  return db
    .updateTable('shards')
    .where('run_id', '=', runId)
    .where('step', '=', step)
    .where('attempt', '=', attempt)
    .where('shard', '=', shard)
}
