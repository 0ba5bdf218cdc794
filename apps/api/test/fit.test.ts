import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testApp } from './support/test-app.ts'

let service: Awaited<ReturnType<typeof testApp>>
beforeAll(async () => {
  service = await testApp()
})
afterAll(() => service.close())

const fit = (payload: object) => service.app.inject({ method: 'POST', url: '/v1/fit', payload })
const csv = readFileSync(
  new URL('../../../examples/tables/llama-44m-cpu-8-slots.csv', import.meta.url),
  'utf8',
)

test('fit: a table becomes a recommendation while the API goes on answering', async () => {
  const fitting = fit({ csv, slo: ['tpot:p95<30'] })
  let answered = 0
  let isDone = false
  void fitting.then(() => {
    isDone = true
  })
  while (!isDone) {
    if ((await service.app.inject('/healthz')).statusCode === 200) answered++
    // An injected request never waits for the network: let the thread's message in.
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  expect(answered).toBeGreaterThan(10)
  const answer = (await fitting).json()
  expect(answer).toMatchObject({ schemaVersion: 1, verdict: 'recommended' })
  expect(answer.batch.limitedBy).toBe('slo:tpot:p95')
}, 60_000)

test('fit: everything that is wrong comes back at once, with its place', async () => {
  const answer = await fit({
    csv: 'concurrency,ttft_ms,tpot_ms\n1,x,5\n2,-3,6',
    slo: ['tpot<'],
    gpu: 'H1000',
  })
  expect(answer.statusCode).toBe(422)
  const { code, violations } = answer.json()
  expect(code).toBe('invalid-table')
  const paths = violations.map(({ path }: { path: string }) => path)
  expect(paths).toEqual(
    expect.arrayContaining(['gpu', 'slo[0]', 'csv, line 2, column ttft_ms', 'csv, line 3, column ttft_ms']),
  )
})

test('fit: a table with semicolons, as a spreadsheet of another country writes it, is read as well', async () => {
  const answer = await fit({ csv: 'concurrency;ttft_ms;tpot_ms\n1;x;5', slo: [] })
  const violations = answer.json().violations as { path: string }[]
  expect(violations.map(({ path }) => path)).toContain('csv, line 2, column ttft_ms')
})

test('fit: an empty table and an unknown field are refused', async () => {
  expect((await fit({ csv: '# nothing\n' })).json().violations[0].message).toContain('empty')
  expect((await fit({ csv, slos: [] })).json()).toMatchObject({ status: 400, code: 'invalid-request' })
})

test('catalogue: GPUs with dated prices, models with their geometry', async () => {
  const gpus = (await service.app.inject('/v1/gpus')).json().items
  const h100 = gpus.find(({ name }: { name: string }) => name === 'H100-SXM')
  expect(h100).toMatchObject({ memoryGib: 80, bandwidthGBPerS: 3350 })
  expect(h100.prices.every(({ date }: { date: string }) => /2026/.test(date) || date === '')).toBe(true)
  expect((await service.app.inject('/v1/models')).json().items.length).toBeGreaterThan(10)
})

test('fit: what the server pads its batch to decides where the levels cannot', async () => {
  // 10 + 0.25 b ms a step, 199 steps an answer.
  const rows = [1, 2, 4, 8, 16, 32, 64, 128].map((clients) => {
    const tpotMs = 10 + 0.25 * clients
    return `${clients},10,${tpotMs},${(1000 * clients) / (10 + 199 * tpotMs)}`
  })
  const table = {
    csv: ['concurrency,ttft_ms,tpot_ms,req_s', ...rows].join('\n'),
    slo: ['tpot:mean<21'],
    inputTokens: 200,
    outputTokens: 200,
  }
  const untold = (await fit(table)).json()
  expect(untold).toMatchObject({ verdict: 'inconclusive', reasons: ['batch-between-levels'] })
  expect(untold.batch.levelWanted.concurrency).toBeGreaterThan(32)
  const told = (await fit({ ...table, captureSizes: [] })).json()
  expect(told.batch.recommended).toBeGreaterThan(38)
  const padded = (await fit({ ...table, captureSizes: [64, 32, 16, 8, 4, 2, 1] })).json()
  expect(padded.batch.recommended).toBe(32)
}, 60_000)

test('fit: a token cannot use more experts than there are', async () => {
  const answer = (
    await fit({ csv: 'concurrency,ttft_ms,tpot_ms\n1,10,5', experts: { total: 8, perToken: 9 } })
  ).json()
  expect(answer.violations).toContainEqual(expect.objectContaining({ path: 'experts.perToken' }))
})
