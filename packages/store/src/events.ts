/**
 * The history of a run, and following it live.
 *
 * An event's number comes from a counter in the run's own row, so the row lock puts the events of a run in one order:
 * a reader that has seen number n never meets a smaller one later. (A table-wide sequence would let number 6 appear
 * before number 5 is committed, and a follower would lose 5 for ever.) A trigger notifies whoever listens.
 */
import { EventEmitter } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { isLastEvent, type RunEvent, type RunEventKind } from '@loadcurve/core/run/event'
import { sql } from 'kysely'
import pg from 'pg'
import type { Database } from './database.ts'
import { json } from './schema.ts'

export interface EventFeed {
  /**
   * The events of a run after number `afterId`, first those that are stored, then those to come, until the run's last
   * event or until the signal aborts.
   */
  readonly follow: (follow: {
    readonly runId: string
    readonly afterId: number
    readonly signal: AbortSignal
  }) => AsyncGenerator<RunEvent, void>
  readonly close: () => Promise<void>
}

const PAGE_EVENTS = 500
const RECONNECT_MS = 500
/** A database that restarts is waited for; one that does not come back ends its followers. */
const PATIENCE_MS = 60_000
/** Followers look by themselves this often, should a notification have been lost with its connection. */
const LOOK_MS = 5_000

/** Appends an event to a run's history; returns its number, or null when there is no such run. */
export async function appendEvent(
  db: Database,
  runId: string,
  kind: RunEventKind,
  data: Readonly<Record<string, unknown>>,
): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`
    with next as (
      update runs set last_event_id = last_event_id + 1 where id = ${runId} returning last_event_id
    )
    insert into run_events (run_id, id, kind, data)
    select ${runId}, last_event_id, ${kind}, ${json(data)} from next
    returning id`.execute(db)
  return rows[0]?.id ?? null
}

/** Stored events of a run after number `afterId`, in order, at most 500. */
export async function eventsAfter(db: Database, runId: string, afterId: number): Promise<RunEvent[]> {
  const rows = await db
    .selectFrom('run_events')
    .selectAll()
    .where('run_id', '=', runId)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(PAGE_EVENTS)
    .execute()
  return rows.map((row) => ({
    runId,
    id: row.id,
    kind: row.kind,
    data: row.data,
    at: row.created_at.toISOString(),
  }))
}

/** Opens the one listening connection of this process; any number of followers share it. */
export function openEventFeed({
  connectionString,
  db,
  onError,
}: {
  readonly connectionString: string
  readonly db: Database
  readonly onError: (error: Error) => void
}): EventFeed {
  const wakes = new EventEmitter().setMaxListeners(0)
  const closed = new AbortController()
  const listening = listen({ connectionString, wakes, signal: closed.signal, onError })
  return {
    follow: (follow) => followRun({ db, wakes, closed: closed.signal, onError, ...follow }),
    close: async () => {
      closed.abort()
      await listening
    },
  }
}

async function* followRun(follow: {
  readonly db: Database
  readonly wakes: EventEmitter
  readonly closed: AbortSignal
  readonly onError: (error: Error) => void
  readonly runId: string
  readonly afterId: number
  readonly signal: AbortSignal
}): AsyncGenerator<RunEvent, void> {
  const { db, wakes, runId, onError } = follow
  const signal = AbortSignal.any([follow.signal, follow.closed])
  let lastId = follow.afterId
  // Subscribed before the first look, so nothing can slip between looking and waiting.
  const wakeups = wakeupsOf(wakes, runId, signal)
  try {
    for (;;) {
      const events = await patiently(() => eventsAfter(db, runId, lastId), { signal, onError })
      if (events === null) return
      for (const event of events) {
        if (signal.aborted) return
        yield event
        if (isLastEvent(event.kind)) return
        lastId = event.id
      }
      if (events.length === PAGE_EVENTS) continue
      if (!(await wakeups.next())) return
    }
  } finally {
    wakeups.stop()
  }
}

// A connection may be lost in the middle of a question: the follower asks again, on another one. Null when aborted.
async function patiently<Answer>(
  ask: () => Promise<Answer>,
  { signal, onError }: { readonly signal: AbortSignal; readonly onError: (error: Error) => void },
): Promise<Answer | null> {
  const patientUntilMs = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (signal.aborted) return null
      if (performance.now() > patientUntilMs) throw error
      onError(error as Error)
      await delay(RECONNECT_MS, undefined, { signal }).catch(() => {})
    }
  }
}

function wakeupsOf(wakes: EventEmitter, runId: string, signal: AbortSignal) {
  let pending = false
  let wake = () => {}
  const onWake = () => {
    pending = true
    wake()
  }
  wakes.on(runId, onWake)
  wakes.on(EVERY_RUN, onWake)
  signal.addEventListener('abort', onWake)
  const timer = setInterval(onWake, LOOK_MS)
  return {
    /** Resolves at the next reason to look; false when there will be none. */
    next: async () => {
      if (!pending && !signal.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      pending = false
      return !signal.aborted
    },
    stop: () => {
      clearInterval(timer)
      wakes.off(runId, onWake)
      wakes.off(EVERY_RUN, onWake)
      signal.removeEventListener('abort', onWake)
    },
  }
}

const EVERY_RUN = 'every-run'

async function listen(options: {
  readonly connectionString: string
  readonly wakes: EventEmitter
  readonly signal: AbortSignal
  readonly onError: (error: Error) => void
}): Promise<void> {
  const { connectionString, wakes, signal, onError } = options
  while (!signal.aborted) {
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000, keepAlive: true })
    try {
      await listenOnce(client, wakes, signal)
    } catch (error) {
      if (!signal.aborted) onError(error as Error)
    } finally {
      await client.end().catch(() => {})
    }
    await delay(RECONNECT_MS, undefined, { signal }).catch(() => {})
  }
}

// Resolves when the connection ends.
async function listenOnce(client: pg.Client, wakes: EventEmitter, signal: AbortSignal): Promise<void> {
  const ended = new Promise<void>((resolve, reject) => {
    client.on('error', reject)
    client.on('end', resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  ended.catch(() => {})
  client.on('notification', ({ payload }) => wakes.emit(payload ?? EVERY_RUN))
  await client.connect()
  await client.query('listen run_events')
  // Whatever was said while nobody listened.
  wakes.emit(EVERY_RUN)
  await ended
}
