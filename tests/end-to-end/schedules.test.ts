/** Schedules on the real service: two APIs and two workers, and a restart at the due instant. */
import { afterEach, expect, test } from 'vitest'
import { startRun } from './support/follow.ts'
import { quickPlan } from './support/plans.ts'
import { ServiceUnderTest } from './support/service.ts'

let service: ServiceUnderTest | null = null
afterEach(async () => {
  await service?.stop()
  service = null
})

async function schedule(url: string, planId: string, cron: string, enabled = true): Promise<void> {
  const response = await fetch(`${url}/v1/plans/${planId}/schedule`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ cron, timeZone: 'UTC', enabled }),
  })
  expect(response.ok, await response.text()).toBe(true)
}

interface History {
  readonly history: readonly { dueAt: string; outcome: string; runId: string | null; missedCount: number }[]
}

async function history(url: string, planId: string): Promise<History['history']> {
  const body = (await (await fetch(`${url}/v1/plans/${planId}/schedule`)).json()) as History
  return body.history.toReversed()
}

test('schedules: every second, two APIs and two workers, and each instant fires once', async () => {
  service = await ServiceUnderTest.start({ queue: 'postgres', workers: 2, apis: 2 })
  const { url } = service
  // Nothing listens on that port, so each run is over in no time.
  const { id: planId } = await service.client().createPlan(quickPlan('http://127.0.0.1:9'))
  await schedule(url, planId, '* * * * * *')
  await expect
    .poll(async () => (await history(url, planId)).length, { timeout: 30_000 })
    .toBeGreaterThanOrEqual(6)
  await schedule(url, planId, '* * * * * *', false)

  const fired = await history(url, planId)
  expect(fired.every(({ outcome }) => outcome === 'fired')).toBe(true)
  expect(new Set(fired.map(({ runId }) => runId)).size).toBe(fired.length)
  // Every second from the first to the last is there: fired, or counted as missed by the one that fired after it.
  const seconds = fired.map(({ dueAt }) => Date.parse(dueAt) / 1000)
  const missed = fired.slice(1).reduce((sum, { missedCount }) => sum + missedCount, 0)
  expect((seconds.at(-1) ?? 0) - (seconds[0] ?? 0) + 1).toBe(fired.length + missed)

  const { items } = (await (await fetch(`${url}/v1/runs?planId=${planId}&limit=100`)).json()) as {
    items: { dueAt: string; origin: string }[]
  }
  expect(items.map(({ dueAt }) => Date.parse(dueAt)).sort()).toEqual(
    fired.map(({ dueAt }) => Date.parse(dueAt)).sort(),
  )
}, 90_000)

test('schedules: an instant that comes while every worker is away is fired when one is back', async () => {
  service = await ServiceUnderTest.start({ queue: 'postgres', workers: 1 })
  const { url } = service
  const client = service.client()
  const run = await startRun(client, quickPlan('http://127.0.0.1:9'))
  await run.ended
  const { id: planId } = await client.createPlan(quickPlan('http://127.0.0.1:9'))
  const [worker] = service.workers
  if (worker === undefined) throw new Error('no worker')
  const due = new Date(Date.now() + 1500)
  await schedule(url, planId, `${due.getUTCSeconds()} ${due.getUTCMinutes()} ${due.getUTCHours()} * * *`)
  await worker.kill()
  service.forget(worker)
  await expect.poll(() => Date.now(), { timeout: 10_000 }).toBeGreaterThan(due.getTime() + 500)
  expect(await history(url, planId)).toEqual([])
  await service.startWorker()
  await expect
    .poll(() => history(url, planId), { timeout: 15_000 })
    .toMatchObject([{ outcome: 'fired', missedCount: 0 }])
}, 60_000)
