import { eventsAfter } from '@loadcurve/store/events'
import { createPlan } from '@loadcurve/store/plans'
import {
  createRun,
  endRun,
  getRun,
  listRuns,
  nextUnfinishedRun,
  requestCancel,
  runsAhead,
  startRun,
} from '@loadcurve/store/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase, unknownId } from './support/fresh-database.ts'
import { newRun, plan, planInput } from './support/plan.ts'

let store: Awaited<ReturnType<typeof freshDatabase>>
beforeAll(async () => {
  store = await freshDatabase()
})
afterAll(() => store.close())

const kinds = async (id: string) => (await eventsAfter(store.db, id, 0)).map(({ kind }) => kind)
const finished = { state: 'finished', reason: null, message: null } as const

test('runs: are conducted in the order in which they were asked for', async () => {
  const first = await newRun(store.db)
  const second = await newRun(store.db)
  expect((await nextUnfinishedRun(store.db))?.id).toBe(first.id)
  expect(await runsAhead(store.db, second.sequence)).toBe(1)
  await endRun(store.db, first.id, finished)
  expect((await nextUnfinishedRun(store.db))?.id).toBe(second.id)
  await endRun(store.db, second.id, finished)
  expect(await nextUnfinishedRun(store.db)).toBeNull()
})

test('runs: one idempotency key makes one run, however many ask at once', async () => {
  const { id: planId } = await createPlan(store.db, planInput)
  const ask = () =>
    createRun(store.db, { planId, planVersion: 1, plan, origin: 'manual', idempotencyKey: 'once' })
  const answers = await Promise.all(Array.from({ length: 8 }, ask))
  expect(new Set(answers.map(({ run }) => run.id)).size).toBe(1)
  expect(answers.filter(({ created }) => created)).toHaveLength(1)
  const other = await createRun(store.db, {
    planId,
    planVersion: 1,
    plan,
    origin: 'manual',
    idempotencyKey: 'twice',
  })
  expect(other.created).toBe(true)
})

test('runs: a waiting run is cancelled at once, a running one when its conductor sees it', async () => {
  const waiting = await newRun(store.db)
  expect((await requestCancel(store.db, waiting.id))?.state).toBe('cancelled')
  expect(await kinds(waiting.id)).toEqual(['run-waiting', 'cancel-requested', 'run-cancelled'])

  const running = await newRun(store.db)
  await startRun(store.db, running.id)
  expect(await requestCancel(store.db, running.id)).toMatchObject({
    state: 'running',
    cancelRequestedAt: expect.any(Date),
  })
  // Asking twice says it once.
  await requestCancel(store.db, running.id)
  expect(await kinds(running.id)).toEqual(['run-waiting', 'cancel-requested'])
  expect(await requestCancel(store.db, unknownId())).toBeNull()
})

test('runs: one that is over stays as it ended', async () => {
  const run = await newRun(store.db)
  await endRun(store.db, run.id, { state: 'failed', reason: 'target-unreachable', message: 'nobody there' })
  expect(await endRun(store.db, run.id, finished)).toMatchObject({
    state: 'failed',
    reason: 'target-unreachable',
  })
  expect(await requestCancel(store.db, run.id)).toMatchObject({ state: 'failed', cancelRequestedAt: null })
  await startRun(store.db, run.id)
  expect((await getRun(store.db, run.id))?.state).toBe('failed')
  expect(await kinds(run.id)).toEqual(['run-waiting', 'run-failed'])
})

test('runs: the list is filtered by plan and state, newest first, in pages', async () => {
  const { id: planId } = await createPlan(store.db, planInput)
  const ids: string[] = []
  for (let n = 0; n < 3; n++) {
    ids.push((await createRun(store.db, { planId, planVersion: 1, plan, origin: 'manual' })).run.id)
  }
  const page = await listRuns(store.db, { planId, limit: 2 })
  const rest = await listRuns(store.db, { planId, limit: 2, before: page.nextBefore ?? undefined })
  expect([...page.runs, ...rest.runs].map(({ id }) => id)).toEqual(ids.reverse())
  expect(rest.nextBefore).toBeNull()
  await endRun(store.db, ids[0] ?? '', finished)
  const waiting = await listRuns(store.db, { planId, state: 'waiting', limit: 10 })
  expect(waiting.runs.map(({ id }) => id)).toEqual(ids.slice(1))
})
