/** The tables. Written as SQL, since this is what an operator meets in the database. */
import { type Kysely, sql } from 'kysely'

const STATEMENTS = [
  `create table plans (
    id uuid primary key,
    sequence bigint generated always as identity unique,
    name text not null,
    input jsonb not null,
    version integer not null default 1,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    deleted_at timestamptz
  )`,

  // A run keeps its own copy of the plan: editing a plan never changes what an old run says.
  `create table runs (
    id uuid primary key,
    sequence bigint generated always as identity unique,
    plan_id uuid not null references plans,
    plan_version integer not null,
    plan jsonb not null,
    origin text not null check (origin in ('manual', 'schedule')),
    idempotency_key text,
    due_at timestamptz,
    state text not null default 'waiting' check (state in ('waiting', 'running', 'finished', 'failed', 'cancelled')),
    reason text,
    message text,
    preflight jsonb,
    fingerprint_hash text,
    last_event_id integer not null default 0,
    cancel_requested_at timestamptz,
    created_at timestamptz not null default now(),
    started_at timestamptz,
    finished_at timestamptz,
    unique (plan_id, idempotency_key),
    unique (plan_id, due_at)
  )`,
  `create index runs_unfinished on runs (sequence) where state in ('waiting', 'running')`,
  `create index runs_of_plan on runs (plan_id, sequence)`,

  `create table steps (
    run_id uuid not null references runs on delete cascade,
    step integer not null,
    attempt integer not null,
    holder uuid not null,
    purpose text not null,
    batch integer,
    concurrency integer,
    rate_per_s double precision,
    shards_count integer not null,
    "order" jsonb not null,
    state text not null default 'running' check (state in ('running', 'finished', 'failed', 'abandoned')),
    start_at timestamptz,
    look integer not null default 0,
    extend_until_ms double precision,
    summary jsonb,
    predicted jsonb,
    excluded text,
    reason text,
    message text,
    created_at timestamptz not null default now(),
    finished_at timestamptz,
    primary key (run_id, step, attempt)
  )`,

  `create table shards (
    run_id uuid not null,
    step integer not null,
    attempt integer not null,
    shard integer not null,
    state text not null default 'assigned' check (state in ('assigned', 'ready', 'finished', 'failed')),
    worker_id uuid,
    progress jsonb,
    look integer not null default 0,
    partial bytea,
    ready_at timestamptz,
    ended_at timestamptz,
    samples_count integer,
    record bytea,
    message text,
    primary key (run_id, step, attempt, shard),
    foreign key (run_id, step, attempt) references steps on delete cascade
  )`,
  // The records are compressed already.
  `alter table shards alter column record set storage external, alter column partial set storage external`,

  `create table run_events (
    run_id uuid not null references runs on delete cascade,
    id integer not null,
    kind text not null,
    data jsonb not null,
    created_at timestamptz not null default clock_timestamp(),
    primary key (run_id, id)
  )`,
  `create function notify_run_event() returns trigger language plpgsql as $$
    begin
      perform pg_notify('run_events', new.run_id::text);
      return null;
    end
  $$`,
  `create trigger run_events_notify after insert on run_events for each row execute function notify_run_event()`,

  `create table target_metrics (
    run_id uuid not null,
    step integer not null,
    attempt integer not null,
    readings jsonb not null,
    primary key (run_id, step, attempt),
    foreign key (run_id, step, attempt) references steps on delete cascade
  )`,

  `create table recommendations (
    run_id uuid primary key references runs on delete cascade,
    recommendation jsonb not null,
    created_at timestamptz not null default now()
  )`,

  `create table schedules (
    plan_id uuid primary key references plans on delete cascade,
    cron text not null,
    time_zone text not null,
    enabled boolean not null default true,
    next_due_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
  `create index schedules_due on schedules (next_due_at) where enabled`,
  `create table schedule_history (
    plan_id uuid not null references plans on delete cascade,
    due_at timestamptz not null,
    outcome text not null check (outcome in ('fired', 'missed', 'refused')),
    run_id uuid references runs on delete set null,
    missed_count integer not null default 0,
    message text,
    created_at timestamptz not null default clock_timestamp(),
    primary key (plan_id, due_at)
  )`,

  `create table api_keys (
    id uuid primary key,
    name text not null,
    hash bytea not null unique,
    created_at timestamptz not null default now(),
    revoked_at timestamptz
  )`,

  `create table workers (
    id uuid primary key,
    host text not null,
    pid integer not null,
    version text not null,
    load_processes integer not null,
    started_at timestamptz not null default now(),
    seen_at timestamptz not null default now()
  )`,

  `create table leases (
    name text primary key,
    holder uuid not null,
    taken_at timestamptz not null,
    heartbeat_at timestamptz not null
  )`,
]

const TABLES = [
  'leases',
  'workers',
  'api_keys',
  'schedule_history',
  'schedules',
  'recommendations',
  'target_metrics',
  'run_events',
  'shards',
  'steps',
  'runs',
  'plans',
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  for (const table of TABLES) await sql.raw(`drop table ${table}`).execute(db)
  await sql.raw('drop function notify_run_event').execute(db)
}
