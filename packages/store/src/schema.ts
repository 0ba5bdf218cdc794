/** The tables as Kysely sees them. `migrations/` creates them; nothing outside this package reads them directly. */
import type { Recommendation } from '@loadcurve/core/capacity/recommendation'
import type { StepPurpose } from '@loadcurve/core/load/step-level'
import type { TargetReading } from '@loadcurve/core/metrics/sample'
import type { StepSummary } from '@loadcurve/core/metrics/step-summary'
import type { Plan, PlanInput } from '@loadcurve/core/plan/schema'
import type { RunEventKind } from '@loadcurve/core/run/event'
import type { ShardProgress } from '@loadcurve/core/run/progress'
import type { RunState, ShardState, StepState } from '@loadcurve/core/run/state'
import { type ColumnType, type Generated, type RawBuilder, sql } from 'kysely'

/** Read as a value, written through {@link json}. */
type Json<T> = ColumnType<T, RawBuilder<unknown>, RawBuilder<unknown>>
type NullableJson<T> = ColumnType<
  T | null,
  RawBuilder<unknown> | null | undefined,
  RawBuilder<unknown> | null
>
type Time = ColumnType<Date, Date | RawBuilder<unknown>, Date | RawBuilder<unknown>>
type DefaultTime = ColumnType<Date, Date | RawBuilder<unknown> | undefined, Date | RawBuilder<unknown>>
type NullableTime = ColumnType<
  Date | null,
  Date | RawBuilder<unknown> | null | undefined,
  Date | RawBuilder<unknown> | null
>

export interface PlansTable {
  id: string
  sequence: Generated<number>
  name: string
  input: Json<PlanInput>
  version: Generated<number>
  created_at: DefaultTime
  updated_at: DefaultTime
  deleted_at: NullableTime
}

export interface RunsTable {
  id: string
  sequence: Generated<number>
  plan_id: string
  plan_version: number
  plan: Json<Plan>
  origin: 'manual' | 'schedule'
  idempotency_key: string | null
  due_at: NullableTime
  state: Generated<RunState>
  reason: string | null
  message: string | null
  preflight: NullableJson<unknown>
  fingerprint_hash: string | null
  last_event_id: Generated<number>
  cancel_requested_at: NullableTime
  created_at: DefaultTime
  started_at: NullableTime
  finished_at: NullableTime
}

export interface StepsTable {
  run_id: string
  step: number
  attempt: number
  holder: string
  purpose: StepPurpose
  batch: number | null
  concurrency: number | null
  rate_per_s: number | null
  shards_count: number
  order: Json<unknown>
  state: Generated<StepState>
  start_at: NullableTime
  look: Generated<number>
  extend_until_ms: number | null
  summary: NullableJson<StepSummary>
  predicted: NullableJson<unknown>
  excluded: string | null
  reason: string | null
  message: string | null
  created_at: DefaultTime
  finished_at: NullableTime
}

export interface ShardsTable {
  run_id: string
  step: number
  attempt: number
  shard: number
  state: Generated<ShardState>
  worker_id: string | null
  progress: NullableJson<ShardProgress>
  look: Generated<number>
  partial: Buffer | null
  ready_at: NullableTime
  ended_at: NullableTime
  samples_count: number | null
  record: Buffer | null
  message: string | null
}

export interface RunEventsTable {
  run_id: string
  id: number
  kind: RunEventKind
  data: Json<Record<string, unknown>>
  created_at: DefaultTime
}

export interface TargetMetricsTable {
  run_id: string
  step: number
  attempt: number
  readings: Json<readonly TargetReading[]>
}

export interface RecommendationsTable {
  run_id: string
  recommendation: Json<Recommendation>
  created_at: DefaultTime
}

export interface SchedulesTable {
  plan_id: string
  cron: string
  time_zone: string
  enabled: Generated<boolean>
  next_due_at: NullableTime
  created_at: DefaultTime
  updated_at: DefaultTime
}

export interface ScheduleHistoryTable {
  plan_id: string
  due_at: Time
  outcome: 'fired' | 'missed' | 'refused'
  run_id: string | null
  missed_count: Generated<number>
  message: string | null
  created_at: DefaultTime
}

export interface ApiKeysTable {
  id: string
  name: string
  hash: Buffer
  created_at: DefaultTime
  revoked_at: NullableTime
}

export interface WorkersTable {
  id: string
  host: string
  pid: number
  version: string
  load_processes: number
  started_at: DefaultTime
  seen_at: DefaultTime
}

export interface LeasesTable {
  name: string
  holder: string
  taken_at: Time
  heartbeat_at: Time
}

export interface Schema {
  plans: PlansTable
  runs: RunsTable
  steps: StepsTable
  shards: ShardsTable
  run_events: RunEventsTable
  target_metrics: TargetMetricsTable
  recommendations: RecommendationsTable
  schedules: SchedulesTable
  schedule_history: ScheduleHistoryTable
  api_keys: ApiKeysTable
  workers: WorkersTable
  leases: LeasesTable
}

/** A value for a jsonb column. The driver alone would turn arrays into Postgres arrays. */
export function json(value: unknown): RawBuilder<unknown> {
  // jsonb cannot hold U+0000, which a server may well send us in an error text.
  return sql`${JSON.stringify(value).replaceAll('\\u0000', '\\ufffd')}::jsonb`
}
