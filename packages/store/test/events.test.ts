import type { RunEvent } from '@loadcurve/core/run/event'
import { appendEvent, eventsAfter, openEventFeed } from '@loadcurve/store/events'
import { endRun } from '@loadcurve/store/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dropConnections, freshDatabase, unknownId } from './support/fresh-database.ts'
import { newRun } from './support/plan.ts'

let store: Awaited<ReturnType<typeof freshDatabase>>
let feed: ReturnType<typeof openEventFeed>
beforeAll(async () => {
  store = await freshDatabase()
  feed = openEventFeed({ ...store, onError: () => {} })
})
afterAll(async () => {
  await feed.close()
  await store.close()
})

const never = new AbortController().signal

async function collect(events: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const collected: RunEvent[] = []
  for await (const event of events) collected.push(event)
  return collected
}

test('events: numbered 1, 2, 3, ... within a run, also when many write at once', async () => {
  const run = await newRun(store.db)
  await Promise.all(
    Array.from({ length: 40 }, (_, n) => appendEvent(store.db, run.id, 'step-progress', { n })),
  )
  const events = await eventsAfter(store.db, run.id, 0)
  expect(events.map(({ id }) => id)).toEqual(Array.from({ length: 41 }, (_, n) => n + 1))
  expect(await appendEvent(store.db, unknownId(), 'step-progress', {})).toBeNull()
})

test('events: a follower gets what was said before and what is said later, in order, and ends with the run', async () => {
  const run = await newRun(store.db)
  const following = collect(feed.follow({ runId: run.id, afterId: 0, signal: never }))
  for (let n = 0; n < 20; n++) await appendEvent(store.db, run.id, 'step-progress', { n })
  await endRun(store.db, run.id, { state: 'finished', reason: null, message: null })
  const events = await following
  expect(events.map(({ id }) => id)).toEqual(Array.from({ length: 22 }, (_, n) => n + 1))
  expect(events.at(-1)?.kind).toBe('run-finished')
  // A late reader replays the same, from any number.
  expect(await collect(feed.follow({ runId: run.id, afterId: 10, signal: never }))).toEqual(events.slice(10))
})

test('events: long histories are replayed whole', async () => {
  const run = await newRun(store.db)
  await Promise.all(Array.from({ length: 1200 }, () => appendEvent(store.db, run.id, 'step-progress', {})))
  await endRun(store.db, run.id, { state: 'cancelled', reason: null, message: null })
  expect(await collect(feed.follow({ runId: run.id, afterId: 0, signal: never }))).toHaveLength(1202)
})

test('events: a follower outlives the loss of every connection', async () => {
  const run = await newRun(store.db)
  const following = collect(feed.follow({ runId: run.id, afterId: 0, signal: never }))
  // Each event makes the follower look, and some of its looks lose their connection before the answer comes.
  for (let round = 0; round < 12; round++) {
    const appended = () => appendEvent(store.db, run.id, 'step-progress', {}).catch(() => null)
    await Promise.all([dropConnections(store.connectionString), appended()])
    await expect.poll(appended).not.toBeNull()
  }
  await endRun(store.db, run.id, { state: 'finished', reason: null, message: null })
  const ids = (await following).map(({ id }) => id)
  expect(ids).toEqual(Array.from({ length: ids.length }, (_, n) => n + 1))
  expect(ids.length).toBeGreaterThanOrEqual(14)
})

test('events: a question that fails again and again is asked again, and its reader may leave meanwhile', async () => {
  const run = await newRun(store.db)
  const closedStore = await freshDatabase()
  const failures: Error[] = []
  const orphan = openEventFeed({ ...closedStore, onError: (error) => failures.push(error) })
  await closedStore.close()
  const leave = new AbortController()
  const following = collect(orphan.follow({ runId: run.id, afterId: 0, signal: leave.signal }))
  await expect.poll(() => failures.length, { timeout: 10_000 }).toBeGreaterThan(2)
  leave.abort()
  expect(await following).toEqual([])
  await orphan.close()
})

test('events: a follower stops when its reader leaves', async () => {
  const run = await newRun(store.db)
  const leave = new AbortController()
  const following = collect(feed.follow({ runId: run.id, afterId: 1, signal: leave.signal }))
  leave.abort()
  expect(await following).toEqual([])
})
