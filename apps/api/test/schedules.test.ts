import { afterAll, beforeAll, expect, test } from 'vitest'
import { planInput, testApp, unknownId } from './support/test-app.ts'

let service: Awaited<ReturnType<typeof testApp>>
let url: string
beforeAll(async () => {
  service = await testApp()
  const plan = (await service.app.inject({ method: 'POST', url: '/v1/plans', payload: planInput })).json()
  url = `/v1/plans/${plan.id}/schedule`
})
afterAll(() => service.close())

const put = (payload: object, to = url) => service.app.inject({ method: 'PUT', url: to, payload })

test('schedules: show their next runs, right over the spring change', async () => {
  service.clock.nowMs = Date.UTC(2026, 2, 27, 12)
  const answer = await put({ cron: '30 2 * * *', timeZone: 'Europe/Berlin' })
  expect(answer.statusCode).toBe(200)
  // On 29 March 2026 the clock jumps from 02:00 to 03:00: 02:30 does not exist, 03:30 summer time is 01:30 UTC.
  expect(answer.json().nextRuns.slice(0, 3)).toEqual([
    '2026-03-28T01:30:00.000Z',
    '2026-03-29T01:30:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ])
  expect((await service.app.inject(url)).json()).toEqual(answer.json())
})

test('schedules: one that is off has no next runs', async () => {
  const answer = await put({ cron: '0 3 * * 1', timeZone: 'UTC', enabled: false })
  expect(answer.json()).toMatchObject({ enabled: false, nextRuns: [] })
})

test('schedules: a bad cron and a bad time zone are both reported, with their paths', async () => {
  const answer = await put({ cron: '61 * * * *', timeZone: 'Mars/Olympus' })
  expect(answer.json()).toMatchObject({ status: 422, code: 'invalid-schedule' })
  expect(
    answer
      .json()
      .violations.map(({ path }: { path: string }) => path)
      .sort(),
  ).toEqual(['cron', 'timeZone'])
  expect((await put({ cron: '0 0 30 2 *', timeZone: 'UTC' })).statusCode).toBe(422)
  const unknown = await put({ cron: '0 3 * * *', timezone: 'UTC' })
  expect(unknown.json().violations.map(({ path }: { path: string }) => path)).toContain('timezone')
})

test('schedules: are deleted once, and a plan that is not there has none', async () => {
  await put({ cron: '0 3 * * *', timeZone: 'UTC' })
  expect((await service.app.inject({ method: 'DELETE', url })).statusCode).toBe(204)
  expect((await service.app.inject(url)).json()).toMatchObject({ status: 404, code: 'schedule-not-found' })
  expect((await service.app.inject({ method: 'DELETE', url })).statusCode).toBe(404)
  const elsewhere = `/v1/plans/${unknownId}/schedule`
  expect((await put({ cron: '0 3 * * *', timeZone: 'UTC' }, elsewhere)).json()).toMatchObject({
    code: 'plan-not-found',
  })
  expect((await service.app.inject(elsewhere)).json()).toMatchObject({ code: 'plan-not-found' })
})
