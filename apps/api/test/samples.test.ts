import { randomUUID } from 'node:crypto'
import type { StepSummary } from '@loadcurve/core/metrics/step-summary'
import { claimShard, markShardReady, storeShard } from '@loadcurve/store/shards'
import { finishStep, startStep } from '@loadcurve/store/steps'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { record } from '../../../packages/store/test/support/record.ts'
import { planInput, testApp } from './support/test-app.ts'

let service: Awaited<ReturnType<typeof testApp>>
let runId: string
beforeAll(async () => {
  service = await testApp()
  const plan = (await service.app.inject({ method: 'POST', url: '/v1/plans', payload: planInput })).json()
  runId = (await service.app.inject({ method: 'POST', url: `/v1/plans/${plan.id}/runs` })).json().id
  for (const step of [0, 1]) await measured(step)
})
afterAll(() => service.close())

// The route hands on what is stored; which figures these are is not its business.
const summary = { windowS: 1 } as StepSummary

async function measured(step: number) {
  const key = { runId, step, attempt: 1 }
  const level = { batch: null, concurrency: 2 + step, ratePerS: null }
  await startStep(service.db, {
    key,
    holder: randomUUID(),
    purpose: 'grid',
    level,
    shardsCount: 2,
    order: {},
  })
  for (const shard of [0, 1]) {
    await claimShard(service.db, { ...key, shard }, randomUUID())
    await markShardReady(service.db, { ...key, shard })
    await storeShard(service.db, { ...key, shard }, record(shard, 3))
  }
  await finishStep(service.db, key, { summary, predicted: null, excluded: null })
}

test('samples: NDJSON has one line for each sample of each shard and step', async () => {
  const answer = await service.app.inject(`/v1/runs/${runId}/samples`)
  expect(answer.headers['content-type']).toContain('application/x-ndjson')
  const rows = answer.body
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(rows.map(({ step, shard, index }) => [step, shard, index])).toEqual(
    [0, 1].flatMap((step) => [0, 1].flatMap((shard) => [0, 1, 2].map((index) => [step, shard, index]))),
  )
  expect(rows[0]).toMatchObject({ attempt: 1, outcome: 'ok', validJsonAtMs: null })
})

test('samples: CSV has a header, an empty cell where a value is unknown, and the same rows', async () => {
  const answer = await service.app.inject(`/v1/runs/${runId}/samples?format=csv&step=1`)
  const lines = answer.body.trim().split('\n')
  const header = (lines[0] ?? '').split(',')
  expect(header.slice(0, 4)).toEqual(['step', 'attempt', 'shard', 'index'])
  expect(lines).toHaveLength(1 + 6)
  const first = (lines[1] ?? '').split(',')
  expect(first[header.indexOf('outcome')]).toBe('ok')
  expect(first[header.indexOf('validJsonAtMs')]).toBe('')
})

test('samples: a format that is none is refused', async () => {
  expect((await service.app.inject(`/v1/runs/${runId}/samples?format=xml`)).statusCode).toBe(400)
})

test('steps: show their level, summary and shards', async () => {
  const { items } = (await service.app.inject(`/v1/runs/${runId}/steps`)).json()
  expect(items).toHaveLength(2)
  expect(items[0]).toMatchObject({
    step: 0,
    attempt: 1,
    shardsCount: 2,
    state: 'finished',
    summary,
  })
  const readings = await service.app.inject(`/v1/runs/${runId}/steps/0/target-metrics`)
  expect(readings.json()).toEqual({ items: [] })
  expect((await service.app.inject(`/v1/runs/${runId}/steps/9/target-metrics`)).json().code).toBe(
    'step-not-found',
  )
})
