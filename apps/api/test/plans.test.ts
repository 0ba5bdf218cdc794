import { afterAll, beforeAll, expect, test } from 'vitest'
import { planInput, testApp, unknownId } from './support/test-app.ts'

let service: Awaited<ReturnType<typeof testApp>>
beforeAll(async () => {
  service = await testApp()
})
afterAll(() => service.close())

const create = async (plan: unknown = planInput) =>
  service.app.inject({ method: 'POST', url: '/v1/plans', payload: plan as object })

test('plans: are created, read, replaced and deleted', async () => {
  const created = await create()
  expect(created.statusCode).toBe(201)
  const { id } = created.json()
  expect(created.headers.location).toBe(`/v1/plans/${id}`)
  expect((await service.app.inject(`/v1/plans/${id}`)).json()).toMatchObject({
    id,
    version: 1,
    plan: planInput,
  })

  const changed = { ...planInput, name: 'renamed' }
  const replaced = await service.app.inject({ method: 'PUT', url: `/v1/plans/${id}`, payload: changed })
  expect(replaced.json()).toMatchObject({ id, name: 'renamed', version: 2 })

  expect((await service.app.inject({ method: 'DELETE', url: `/v1/plans/${id}` })).statusCode).toBe(204)
  expect((await service.app.inject(`/v1/plans/${id}`)).json()).toMatchObject({
    status: 404,
    code: 'plan-not-found',
  })
  const again = await service.app.inject({ method: 'DELETE', url: `/v1/plans/${id}` })
  expect(again.statusCode).toBe(404)
  const lost = await service.app.inject({ method: 'PUT', url: `/v1/plans/${id}`, payload: planInput })
  expect(lost.statusCode).toBe(404)
})

test('plans: a plan with ten faults returns ten violations, each with its path', async () => {
  const faulty = {
    name: '',
    target: { baseUrl: 'ftp://127.0.0.1/v1', model: 7, endpoint: 'embeddings', sped: 1 },
    workload: { inputTokens: { mean: -1 }, thinkTimeS: 'long' },
    sweep: { concurrency: [0], mode: 'guess' },
    slo: [{ metric: 'latency', percentile: 95, maxMs: 800 }],
    limits: { maxErrorFraction: 2 },
  }
  const answer = await create(faulty)
  expect(answer.statusCode).toBe(422)
  expect(answer.headers['content-type']).toContain('application/problem+json')
  const { code, violations } = answer.json()
  expect(code).toBe('invalid-plan')
  expect(new Set(violations.map(({ path }: { path: string }) => path))).toEqual(
    new Set([
      'name',
      'target.baseUrl',
      'target.model',
      'target.endpoint',
      'target.sped',
      'workload.inputTokens.mean',
      'workload.thinkTimeS',
      'sweep.concurrency[0]',
      'sweep.mode',
      'slo[0].metric',
      'limits.maxErrorFraction',
    ]),
  )
})

test('plans: validate answers the resolved plan with an estimate, or the violations, and creates nothing', async () => {
  const before = (await service.app.inject('/v1/plans')).json().items.length
  const good = await service.app.inject({ method: 'POST', url: '/v1/plans/validate', payload: planInput })
  expect(good.json()).toMatchObject({
    valid: true,
    violations: [],
    resolved: { workload: { profile: 'interactive' } },
  })
  expect(good.json().estimate.requests).toBeGreaterThan(0)
  const bad = await service.app.inject({ method: 'POST', url: '/v1/plans/validate', payload: { name: 'x' } })
  expect(bad.json()).toMatchObject({ valid: false, resolved: null, estimate: null })
  expect(bad.json().violations[0].path).toBe('target')
  expect((await service.app.inject('/v1/plans')).json().items.length).toBe(before)
})

test('plans: a target that the operator did not allow is refused when the plan is written', async () => {
  for (const baseUrl of [
    'http://169.254.169.254/latest',
    'http://10.0.0.1/v1',
    'http://2130706433:4400/v1',
  ]) {
    const answer = await create({ ...planInput, target: { ...planInput.target, baseUrl } })
    expect(answer.statusCode, baseUrl).toBe(422)
    expect(answer.json().violations[0].path).toBe('target.baseUrl')
  }
})

test('plans: pages follow one another by their cursor, and a forged one is refused', async () => {
  for (let n = 0; n < 3; n++) await create()
  const first = (await service.app.inject('/v1/plans?limit=2')).json()
  expect(first.items).toHaveLength(2)
  const second = (await service.app.inject(`/v1/plans?limit=2&cursor=${first.nextCursor}`)).json()
  const ids = [...first.items, ...second.items].map(({ id }: { id: string }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const forged = await service.app.inject('/v1/plans?cursor=xyz')
  expect(forged.json()).toMatchObject({ status: 422, code: 'invalid-cursor' })
})

test('plans: unknown query fields, wrong ids and wrong bodies are refused by name', async () => {
  const unknown = (await service.app.inject('/v1/plans?limti=5')).json()
  expect(unknown).toMatchObject({ status: 400, code: 'invalid-request' })
  expect(unknown.violations).toEqual([
    expect.objectContaining({ path: 'limti', code: 'additionalProperties' }),
  ])
  expect((await service.app.inject('/v1/plans?limit=1000')).json().violations[0].path).toBe('limit')
  expect((await service.app.inject('/v1/plans/7')).json().violations[0].path).toBe('id')
  const text = await service.app.inject({
    method: 'POST',
    url: '/v1/plans',
    headers: { 'content-type': 'application/json' },
    payload: '{"name": ',
  })
  expect(text.json()).toMatchObject({ status: 400, code: 'invalid-json' })
  const xml = {
    method: 'POST',
    url: '/v1/plans',
    headers: { 'content-type': 'text/xml' },
    payload: '<a/>',
  } as const
  expect((await service.app.inject(xml)).json()).toMatchObject({
    status: 415,
    code: 'unsupported-media-type',
  })
  expect((await create('just text')).statusCode).toBe(415)
})

test('plans: a body of 5 MB is refused before it is read to its end', async () => {
  const answer = await create({ ...planInput, padding: 'x'.repeat(5_000_000) })
  expect(answer.json()).toMatchObject({ status: 413, code: 'body-too-large' })
})

test('plans: the schema that the form is made of names every field of the plan', async () => {
  const schema = (await service.app.inject('/v1/plan-schema')).json()
  expect(schema.properties.target.properties.baseUrl.description).toBeTypeOf('string')
  expect(schema.required).toEqual(['name', 'target'])
})

test('plans: what is unknown is a problem document everywhere', async () => {
  const answer = await service.app.inject(`/v1/plants/${unknownId}`)
  expect(answer.headers['content-type']).toContain('application/problem+json')
  expect(answer.json()).toMatchObject({ status: 404, code: 'route-not-found' })
})
