import type { RunReport } from '@loadcurve/report/run-report'
import { savePreflight } from '@loadcurve/store/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exampleReport } from '../../../packages/report/test/support/example-report.ts'
import { finishedRun } from '../../../tests/end-to-end/support/finished-run.ts'
import { planInput, testApp, unknownId } from './support/test-app.ts'

let service: Awaited<ReturnType<typeof testApp>>
let example: RunReport
let first: { planId: string; runId: string }
let second: { planId: string; runId: string }
let waiting: string
beforeAll(async () => {
  service = await testApp()
  example = exampleReport()
  first = await finishedRun(service.db, example)
  second = await finishedRun(service.db, example)
  const plan = (await service.app.inject({ method: 'POST', url: '/v1/plans', payload: planInput })).json()
  waiting = (await service.app.inject({ method: 'POST', url: `/v1/plans/${plan.id}/runs` })).json().id
}, 60_000)
afterAll(() => service.close())

const get = (url: string) => service.app.inject(url)
const ask = (runId: string, payload: object) =>
  service.app.inject({ method: 'POST', url: `/v1/runs/${runId}/what-if`, payload })

test('recommendation: is what was stored, and is not there before a run has one', async () => {
  expect((await get(`/v1/runs/${first.runId}/recommendation`)).json()).toEqual(
    JSON.parse(JSON.stringify(example.recommendation)),
  )
  expect((await get(`/v1/runs/${waiting}/recommendation`)).json()).toMatchObject({
    code: 'recommendation-not-found',
  })
  expect((await get(`/v1/runs/${unknownId}/recommendation`)).json()).toMatchObject({ code: 'run-not-found' })
})

test('report: JSON, Markdown and HTML carry the same numbers', async () => {
  const json = (await get(`/v1/runs/${first.runId}/report?format=json`)).json() as RunReport
  expect(json.recommendation).toEqual(JSON.parse(JSON.stringify(example.recommendation)))
  expect(json.steps.map(({ summary }) => summary)).toEqual(
    JSON.parse(JSON.stringify(example.steps.map(({ summary }) => summary))),
  )
  const html = await get(`/v1/runs/${first.runId}/report`)
  const markdown = await get(`/v1/runs/${first.runId}/report?format=markdown`)
  expect(html.headers['content-type']).toContain('text/html')
  expect(markdown.headers['content-type']).toContain('text/markdown')
  const batch = String(json.recommendation?.batch.recommended)
  expect(html.body).toContain(`<dd>${batch}`)
  expect(markdown.body).toContain(`| ${batch} |`)
  expect((await get(`/v1/runs/${first.runId}/report?format=pdf`)).statusCode).toBe(400)
  expect((await get(`/v1/runs/${unknownId}/report`)).statusCode).toBe(404)
})

test('report: a run that has measured nothing still has one', async () => {
  expect((await get(`/v1/runs/${waiting}/report`)).body).toContain('No recommendation')
})

test('what-if: answers from stored draws, and by simulation when asked', async () => {
  const slo = [{ metric: 'tpot', percentile: 'mean', maxMs: 16 }]
  const instant = (await ask(first.runId, { slo })).json()
  expect(instant.source).toBe('draws')
  expect(instant.recommendation.batch.recommended).toBeLessThan(
    example.recommendation?.batch.recommended ?? 0,
  )
  const simulated = (await ask(first.runId, { slo, simulate: true })).json()
  expect(simulated.source).toBe('simulation')
  expect(simulated.recommendation.batch.recommended).toBe(instant.recommendation.batch.recommended)
}, 60_000)

test('what-if: wrong questions are refused by name, and a run without measurements cannot be asked', async () => {
  const wrong = (await ask(first.runId, { price: 3, peakRequestsPerS: -1 })).json()
  expect(wrong.code).toBe('invalid-request')
  expect(wrong.violations.map(({ path }: { path: string }) => path).sort()).toEqual([
    'peakRequestsPerS',
    'price',
  ])
  expect((await ask(waiting, {})).json()).toMatchObject({ status: 409, code: 'nothing-measured' })
  expect((await ask(unknownId, {})).statusCode).toBe(404)
})

test('compare: two equal runs differ nowhere beyond their noise', async () => {
  const answer = (await get(`/v1/compare?runs=${first.runId},${second.runId}`)).json()
  expect(answer).toMatchObject({ refusal: null, fingerprintsDiffer: false })
  expect(answer.runs.map(({ id }: { id: string }) => id)).toEqual([first.runId, second.runId])
  expect(answer.levels.length).toBeGreaterThan(4)
  const verdicts = answer.levels.flatMap(({ figures }: { figures: { verdict: string }[] }) =>
    figures.map(({ verdict }) => verdict),
  )
  expect(verdicts).not.toContain('worse')
  expect(answer.answers[0]).toMatchObject({
    verdict: 'recommended',
    batch: example.recommendation?.batch.recommended,
  })
})

test('compare: an anchor is one level, and its first measurement stands for it', async () => {
  const [begin, ...others] = example.steps
  if (begin === undefined) throw new Error('the example has no steps')
  const anchor = { ...begin, purpose: 'anchor' as const }
  const steps = [anchor, ...others, { ...anchor, step: example.steps.length }]
  const anchored = await finishedRun(service.db, { ...example, steps })
  const answer = (await get(`/v1/compare?runs=${anchored.runId},${second.runId}`)).json()
  const levels = answer.levels.map(({ level }: { level: unknown }) => JSON.stringify(level))
  expect(levels).toContain(JSON.stringify(begin.level))
  expect(new Set(levels).size).toBe(levels.length)
})

test('compare: another server is refused unless it is accepted', async () => {
  await savePreflight(service.db, second.runId, { preflight: null, fingerprintHash: 'another' })
  const url = `/v1/compare?runs=${first.runId},${second.runId}`
  expect((await get(url)).json()).toMatchObject({ refusal: 'fingerprint-differs', levels: [] })
  expect((await get(`${url}&acceptOtherServer=true`)).json()).toMatchObject({
    refusal: null,
    fingerprintsDiffer: true,
  })
})

test('compare: needs two different runs that exist', async () => {
  expect((await get(`/v1/compare?runs=${first.runId}`)).statusCode).toBe(400)
  expect((await get(`/v1/compare?runs=${first.runId},${first.runId}`)).json()).toMatchObject({
    code: 'same-run',
  })
  expect((await get(`/v1/compare?runs=${first.runId},${unknownId}`)).json()).toMatchObject({
    code: 'run-not-found',
  })
})

test('trend: every finished run of a plan with its figures; one run is too few for a verdict', async () => {
  const { runs, metrics, restartedAt } = (await get(`/v1/plans/${first.planId}/trend`)).json()
  expect(runs).toHaveLength(1)
  expect(runs[0]).toMatchObject({ runId: first.runId, fingerprintHash: 'abc123' })
  expect(runs[0].values.peakOutputTokensPerS).toBeGreaterThan(600)
  expect(
    metrics.every(
      ({ regression }: { regression: { verdict: string } }) => regression.verdict === 'too-few-runs',
    ),
  ).toBe(true)
  expect(restartedAt).toBeNull()
  expect((await get(`/v1/plans/${unknownId}/trend`)).statusCode).toBe(404)
})
