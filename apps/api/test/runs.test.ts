import { appendEvent } from '@loadcurve/store/events'
import { endRun, startRun } from '@loadcurve/store/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { planInput, testApp, unknownId } from './support/test-app.ts'

let service: Awaited<ReturnType<typeof testApp>>
let planId: string
beforeAll(async () => {
  service = await testApp()
  planId = (await service.app.inject({ method: 'POST', url: '/v1/plans', payload: planInput })).json().id
})
afterAll(() => service.close())

const start = (headers: Record<string, string> = {}, id = planId) =>
  service.app.inject({ method: 'POST', url: `/v1/plans/${id}/runs`, headers })

test('runs: are started with the resolved plan, and a worker is nudged', async () => {
  const started = await start()
  expect(started.statusCode).toBe(201)
  const run = started.json()
  expect(run).toMatchObject({ planId, planVersion: 1, origin: 'manual', state: 'waiting', startedAt: null })
  expect(run.plan.sweep.concurrency.length).toBeGreaterThan(3)
  expect(service.nudged).toContain(run.id)
  expect((await service.app.inject(`/v1/runs/${run.id}`)).json()).toEqual(run)
})

test('runs: the same idempotency key gives the same run, another key another one', async () => {
  const first = await start({ 'idempotency-key': 'a' })
  const again = await start({ 'idempotency-key': 'a' })
  expect([first.statusCode, again.statusCode]).toEqual([201, 200])
  expect(again.json().id).toBe(first.json().id)
  expect((await start({ 'idempotency-key': 'b' })).json().id).not.toBe(first.json().id)
})

test('runs: say how many come before them', async () => {
  const one = (await start()).json()
  const two = (await start()).json()
  expect(two.runsAhead).toBe(one.runsAhead + 1)
})

test('runs: are listed by plan and state, and wrong filters are refused', async () => {
  const other = (await service.app.inject({ method: 'POST', url: '/v1/plans', payload: planInput })).json().id
  const run = (await start({}, other)).json()
  const listed = (await service.app.inject(`/v1/runs?planId=${other}&state=waiting`)).json()
  expect(listed.items.map(({ id }: { id: string }) => id)).toEqual([run.id])
  expect((await service.app.inject(`/v1/runs?planId=${other}&state=failed`)).json().items).toEqual([])
  expect((await service.app.inject('/v1/runs?state=sleeping')).statusCode).toBe(400)
})

test('runs: a waiting run is cancelled at once, and one that is over cannot be', async () => {
  const { id } = (await start()).json()
  const cancelled = await service.app.inject({ method: 'POST', url: `/v1/runs/${id}/cancel` })
  expect(cancelled.statusCode).toBe(202)
  expect(cancelled.json()).toMatchObject({ state: 'cancelled', reason: 'cancelled' })
  const finished = (await start()).json().id
  await startRun(service.db, finished)
  await endRun(service.db, finished, { state: 'finished', reason: 'sweep-complete', message: null })
  const late = await service.app.inject({ method: 'POST', url: `/v1/runs/${finished}/cancel` })
  expect(late.json()).toMatchObject({ status: 409, code: 'run-is-over' })
})

test('runs: of a plan or with an id that does not exist are not found', async () => {
  expect((await start({}, unknownId)).json()).toMatchObject({ status: 404, code: 'plan-not-found' })
  for (const url of [
    `/v1/runs/${unknownId}`,
    `/v1/runs/${unknownId}/steps`,
    `/v1/runs/${unknownId}/events`,
  ]) {
    expect((await service.app.inject(url)).json(), url).toMatchObject({ status: 404, code: 'run-not-found' })
  }
  const cancel = await service.app.inject({ method: 'POST', url: `/v1/runs/${unknownId}/cancel` })
  expect(cancel.statusCode).toBe(404)
})

test('run events: a late reader gets the whole history, one that comes back only the rest, and then the end', async () => {
  const { id } = (await start()).json()
  await startRun(service.db, id)
  await appendEvent(service.db, id, 'run-started', { steps: 3 })
  await endRun(service.db, id, { state: 'finished', reason: 'sweep-complete', message: null })
  const whole = await service.app.inject(`/v1/runs/${id}/events`)
  expect(whole.headers['content-type']).toContain('text/event-stream')
  const kinds = (body: string) => [...body.matchAll(/^event: (.*)$/gm)].map(([, kind]) => kind)
  expect(kinds(whole.body)).toEqual(['run-waiting', 'run-started', 'run-finished', 'end'])
  const rest = await service.app.inject({ url: `/v1/runs/${id}/events`, headers: { 'last-event-id': '2' } })
  expect(kinds(rest.body)).toEqual(['run-finished', 'end'])
  const started = /event: run-started\ndata: (.*)/.exec(whole.body)?.[1]
  expect(JSON.parse(started ?? '')).toMatchObject({ steps: 3, at: expect.stringMatching(/^\d{4}-/) })
  const forged = await service.app.inject({ url: `/v1/runs/${id}/events`, headers: { 'last-event-id': 'x' } })
  expect(forged.statusCode).toBe(400)
})

test('run events: security headers are on the stream too', async () => {
  const { id } = (await start()).json()
  await service.app.inject({ method: 'POST', url: `/v1/runs/${id}/cancel` })
  const answer = await service.app.inject(`/v1/runs/${id}/events`)
  expect(answer.headers['content-security-policy']).toContain("default-src 'none'")
})
