/** What must happen within seconds: a cancellation, and the word that no worker is there. */
import { afterEach, expect, test } from 'vitest'
import { startRun } from './support/follow.ts'
import { quickPlan } from './support/plans.ts'
import { ServiceUnderTest } from './support/service.ts'
import { monotonicMs } from './support/witness.ts'

let service: ServiceUnderTest | null = null
afterEach(async () => {
  await service?.stop()
  service = null
})

test('cancel: the load is gone from the target within two seconds, and the run says that it was cancelled', async () => {
  service = await ServiceUnderTest.start({ queue: 'postgres', workers: 1, simulator: { preset: 'small' } })
  const client = service.client()
  const step = { minDurationS: 60, maxDurationS: 60, minRequests: 10, maxWarmupS: 2 }
  const run = await startRun(client, quickPlan(service.simulatorUrl, { sweep: { concurrency: [6], step } }))
  await run.seen('step-progress', ({ phase }) => phase === 'window')
  const cancelledAtMs = monotonicMs()
  await client.cancelRun(run.id)
  const { run: ended } = await run.ended
  expect(ended).toMatchObject({ state: 'cancelled', reason: 'cancelled' })
  expect(run.events.at(-1)?.kind).toBe('run-cancelled')
  const requests = await service.witness.requests()
  const late = requests.filter(
    ({ arrivedAtMs, endedAtMs }) => Math.max(arrivedAtMs, endedAtMs ?? Infinity) > cancelledAtMs + 2_000,
  )
  expect(late).toEqual([])
}, 60_000)

test('no worker: a run says that it waits for one, and goes on when one comes', async () => {
  service = await ServiceUnderTest.start({ queue: 'postgres', workers: 0 })
  const run = await startRun(service.client(), quickPlan('http://127.0.0.1:9'))
  await run.seen('no-worker-connected')
  await service.startWorker()
  const { run: ended } = await run.ended
  // Nothing listens on that port: the run says so instead of measuring nothing.
  expect(ended).toMatchObject({ state: 'failed', reason: 'connection_refused' })
  expect(ended.message).toContain('127.0.0.1:9')
}, 60_000)
