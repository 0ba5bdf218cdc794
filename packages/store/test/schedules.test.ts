import { createPlan, deletePlan } from '@loadcurve/store/plans'
import { listRuns } from '@loadcurve/store/runs'
import {
  deleteSchedule,
  earliestDueTime,
  fireDueSchedules,
  getSchedule,
  scheduleHistory,
  setSchedule,
} from '@loadcurve/store/schedules'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { freshDatabase } from './support/fresh-database.ts'
import { planInput } from './support/plan.ts'

let store: Awaited<ReturnType<typeof freshDatabase>>
beforeAll(async () => {
  store = await freshDatabase()
})
afterAll(() => store.close())
afterEach(() => store.db.deleteFrom('schedules').execute())

const nightly = { cron: '0 2 * * *', timeZone: 'UTC', enabled: true }
const at = (iso: string) => Date.parse(iso)
const newPlan = async () => (await createPlan(store.db, planInput)).id

test('schedules: fire when due, not before, once for any number of workers', async () => {
  const planId = await newPlan()
  await setSchedule(store.db, planId, nightly, at('2026-05-01T12:00:00Z'))
  expect(await earliestDueTime(store.db)).toEqual(new Date('2026-05-02T02:00:00Z'))
  expect(await fireDueSchedules(store.db, at('2026-05-02T01:59:59.999Z'))).toEqual([])

  const workers = Array.from({ length: 5 }, () => fireDueSchedules(store.db, at('2026-05-02T02:00:00Z')))
  const firings = (await Promise.all(workers)).flat()
  expect(firings).toMatchObject([
    { planId, outcome: 'fired', missedCount: 0, dueAt: new Date('2026-05-02T02:00:00Z') },
  ])
  const { runs } = await listRuns(store.db, { planId, limit: 10 })
  expect(runs).toMatchObject([
    { id: firings[0]?.runId, origin: 'schedule', dueAt: new Date('2026-05-02T02:00:00Z') },
  ])
  expect((await getSchedule(store.db, planId))?.nextDueAt).toEqual(new Date('2026-05-03T02:00:00Z'))
})

test('schedules: after an outage the latest due instant fires, and the missed ones are counted', async () => {
  const planId = await newPlan()
  await setSchedule(store.db, planId, nightly, at('2026-05-01T12:00:00Z'))
  const [firing] = await fireDueSchedules(store.db, at('2026-05-05T09:00:00Z'))
  expect(firing).toMatchObject({ dueAt: new Date('2026-05-05T02:00:00Z'), missedCount: 3, outcome: 'fired' })
  expect(await fireDueSchedules(store.db, at('2026-05-05T09:00:01Z'))).toEqual([])
  expect(await scheduleHistory(store.db, planId, 10)).toEqual([firing])
})

test('schedules: setting the same schedule again loses no firing that is due', async () => {
  const planId = await newPlan()
  await setSchedule(store.db, planId, nightly, at('2026-05-01T12:00:00Z'))
  const again = await setSchedule(store.db, planId, nightly, at('2026-05-02T02:00:05Z'))
  expect(again.nextDueAt).toEqual(new Date('2026-05-02T02:00:00Z'))
  const changed = await setSchedule(
    store.db,
    planId,
    { ...nightly, cron: '0 3 * * *' },
    at('2026-05-02T02:00:05Z'),
  )
  expect(changed.nextDueAt).toEqual(new Date('2026-05-02T03:00:00Z'))
})

test('schedules: one that is switched off, deleted, or whose plan is deleted, fires nothing', async () => {
  const [off, gone, planless] = [await newPlan(), await newPlan(), await newPlan()]
  const now = at('2026-05-01T12:00:00Z')
  await setSchedule(store.db, off, { ...nightly, enabled: false }, now)
  await setSchedule(store.db, gone, nightly, now)
  await setSchedule(store.db, planless, nightly, now)
  expect(await deleteSchedule(store.db, gone)).toBe(true)
  expect(await deleteSchedule(store.db, gone)).toBe(false)
  await deletePlan(store.db, planless)
  expect(await fireDueSchedules(store.db, at('2026-06-01T00:00:00Z'))).toEqual([])
  expect(await earliestDueTime(store.db)).toBeNull()
})

test('schedules: a plan that fires faster than it runs is refused at a hundred waiting runs', async () => {
  const planId = await newPlan()
  const everySecond = { cron: '* * * * * *', timeZone: 'UTC', enabled: true }
  const start = at('2026-05-01T12:00:00Z')
  await setSchedule(store.db, planId, everySecond, start)
  const outcomes: string[] = []
  for (let second = 1; second <= 102; second++) {
    for (const { outcome } of await fireDueSchedules(store.db, start + second * 1000)) outcomes.push(outcome)
  }
  expect(outcomes).toEqual([...Array(100).fill('fired'), 'refused', 'refused'])
})
