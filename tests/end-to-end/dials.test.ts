/** The two batch dials: the server's limit through its control URL, and prompts per request. */

import type { StepSummary } from '@loadcurve/core/metrics/step-summary'
import type { StepResource } from '@loadcurve/core/run/resources'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startRun } from './support/follow.ts'
import { quickPlan } from './support/plans.ts'
import { ServiceUnderTest } from './support/service.ts'

let service: ServiceUnderTest
beforeAll(async () => {
  service = await ServiceUnderTest.start({ queue: 'postgres', workers: 1, simulator: { preset: 'small' } })
})
afterAll(() => service.stop())

async function stepsOf(runId: string): Promise<StepResource[]> {
  const response = await fetch(`${service.url}/v1/runs/${runId}/steps`)
  return ((await response.json()) as { items: StepResource[] }).items
}

async function limitOfServer(): Promise<number> {
  const body = (await (await fetch(`${service.simulatorUrl}/v1/models`)).json()) as {
    data: { sim: { max_num_seqs: number } }[]
  }
  return body.data[0]?.sim.max_num_seqs ?? Number.NaN
}

test('batch dial of the server: each limit is set and waited for, and holds the decode batch', async () => {
  const urls = {
    controlUrl: `${service.simulatorUrl}/sim/control`,
    readyUrl: `${service.simulatorUrl}/health`,
  }
  const batch = { control: 'server', levels: [2, 5], ...urls }
  const run = await startRun(
    service.client(),
    quickPlan(service.simulatorUrl, { sweep: { concurrency: [6], batch } }),
  )
  expect((await run.ended).run).toMatchObject({ state: 'finished' })
  const steps = await stepsOf(run.id)
  expect(steps.map(({ level }) => level.batch)).toEqual([2, 5])
  expect(await limitOfServer()).toBe(5)
  for (const { level, summary } of steps) {
    const { decodeBatch } = (summary as StepSummary).concurrency
    // Six clients keep every slot busy; the slots in which prompts are read decode nothing.
    expect(decodeBatch).toBeLessThanOrEqual((level.batch ?? 0) + 0.05)
    expect(decodeBatch).toBeGreaterThan(0.8 * (level.batch ?? 0))
  }
}, 60_000)

test('batch dial of the request: each request carries that many prompts, and all of them are counted', async () => {
  const plan = quickPlan(service.simulatorUrl, {
    target: { endpoint: 'completions' },
    sweep: { concurrency: [2], batch: { control: 'request', levels: [3] } },
  })
  const run = await startRun(service.client(), plan)
  expect((await run.ended).run).toMatchObject({ state: 'finished' })
  const summaries = (await stepsOf(run.id)).map(({ summary }) => summary as StepSummary)
  expect(summaries.map(({ requests }) => requests.sequences)).toEqual([3])
  for (const { concurrency } of summaries) {
    // Two requests of three prompts: up to six sequences decode together.
    expect(concurrency.decodeBatch).toBeGreaterThan(4)
    expect(concurrency.decodeBatch).toBeLessThanOrEqual(6.05)
  }
}, 60_000)

test('batch dial: a server that refuses its limit ends the run, and says why', async () => {
  const batch = {
    control: 'server',
    levels: [2],
    controlUrl: `${service.simulatorUrl}/no-such-place`,
    readyUrl: `${service.simulatorUrl}/health`,
  }
  const run = await startRun(service.client(), quickPlan(service.simulatorUrl, { sweep: { batch } }))
  expect((await run.ended).run).toMatchObject({ state: 'failed', reason: 'batch-control-failed' })
}, 60_000)
