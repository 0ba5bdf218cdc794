import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApiKey, revokeApiKey } from '@loadcurve/store/api-keys'
import { heartbeatWorker } from '@loadcurve/store/workers'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { planInput, testApp } from './support/test-app.ts'

const KEY = 'a-key-that-is-long-enough'
let open: Awaited<ReturnType<typeof testApp>>
let locked: Awaited<ReturnType<typeof testApp>>
const lines: string[] = []
beforeAll(async () => {
  open = await testApp()
  locked = await testApp({ config: { apiKeys: [KEY] }, log: (line) => lines.push(line) })
})
afterAll(async () => {
  await open.close()
  await locked.close()
})

test('health: alive and ready without a key', async () => {
  expect((await locked.app.inject('/healthz')).json()).toMatchObject({ status: 'ok' })
  expect((await locked.app.inject('/readyz')).json()).toMatchObject({ status: 'ok' })
})

test('authentication: with a key configured, everything but health, the document and the pages asks for it', async () => {
  const missing = await locked.app.inject('/v1/plans')
  expect(missing.json()).toMatchObject({ status: 401, code: 'api-key-missing' })
  expect(missing.headers['www-authenticate']).toBe('Bearer')
  const wrong = await locked.app.inject({ url: '/v1/plans', headers: { authorization: 'Bearer wrong' } })
  expect(wrong.json()).toMatchObject({ status: 401, code: 'api-key-unknown' })
  const right = await locked.app.inject({ url: '/v1/plans', headers: { authorization: `Bearer ${KEY}` } })
  expect(right.statusCode).toBe(200)
  expect((await locked.app.inject('/metrics')).statusCode).toBe(401)
  expect((await locked.app.inject('/openapi.json')).statusCode).toBe(200)
})

test('authentication: no route answers strangers by accident', async () => {
  const { paths } = (await locked.app.inject('/openapi.json')).json()
  const open = new Set(['/healthz', '/readyz'])
  for (const [path, methods] of Object.entries(paths as Record<string, object>)) {
    if (open.has(path)) continue
    const url = path.replaceAll('{id}', randomUUID()).replaceAll('{step}', '0')
    for (const method of Object.keys(methods)) {
      const answer = await locked.app.inject({
        method: method.toUpperCase() as 'GET',
        url,
        payload: method === 'get' ? undefined : {},
      } as never)
      expect(answer.statusCode, `${method} ${path}`).toBe(401)
    }
  }
})

test('authentication: keys of the store open the door until they are revoked', async () => {
  const service = await testApp()
  const { key, id } = await createApiKey(service.db, 'ci')
  const list = (authorization?: string) =>
    service.app.inject({ url: '/v1/plans', headers: authorization === undefined ? {} : { authorization } })
  expect((await list()).statusCode).toBe(401)
  expect((await list(`Bearer ${key}`)).statusCode).toBe(200)
  await revokeApiKey(service.db, id)
  // Without any key left the loopback service is open again, as it was before the first one.
  expect((await list(`Bearer ${key}`)).statusCode).toBe(200)
  await service.close()
})

test('authentication: the dashboard’s own files need no key, so that one can be typed in', async () => {
  const dashboardDir = await mkdtemp(join(tmpdir(), 'loadcurve-dashboard-'))
  await mkdir(join(dashboardDir, 'assets'))
  await writeFile(join(dashboardDir, 'index.html'), '<!doctype html>')
  await writeFile(join(dashboardDir, 'assets/page.js'), 'export {}')
  const service = await testApp({ dashboardDir })
  await createApiKey(service.db, 'ci')
  const status = async (url: string) =>
    (await service.app.inject({ url, headers: { accept: 'text/html' } })).statusCode
  expect([await status('/'), await status('/plans'), await status('/assets/page.js')]).toEqual([
    200, 200, 200,
  ])
  expect([await status('/v1/plans'), await status('/v1/runs')]).toEqual([401, 401])
  await service.close()
  await rm(dashboardDir, { recursive: true })
})

test('logs: a key is never in them', async () => {
  await locked.app.inject({ url: '/v1/plans', headers: { authorization: `Bearer ${KEY}` } })
  expect(lines.length).toBeGreaterThan(0)
  expect(lines.join('')).not.toContain(KEY)
})

test('openapi: the document is valid, and every operation has a summary and describes its errors', async () => {
  const document = (await open.app.inject('/openapi.json')).json()
  const result = await new Validator().validate(structuredClone(document))
  expect(result.errors).toBeUndefined()
  expect(result.valid).toBe(true)
  for (const [path, methods] of Object.entries(
    document.paths as Record<string, Record<string, { summary?: string }>>,
  )) {
    for (const [method, operation] of Object.entries(methods)) {
      expect(operation.summary, `${method} ${path}`).toBeTypeOf('string')
    }
  }
  expect(document.components.schemas.Problem).toBeDefined()
})

test('openapi: the reader at /docs is served without scripts from elsewhere', async () => {
  const page = await open.app.inject('/docs/')
  expect(page.statusCode).toBe(200)
  expect(page.headers['content-security-policy']).not.toContain('http:')
})

test('metrics: runs by state and connected workers, in Prometheus text', async () => {
  const plan = (await open.app.inject({ method: 'POST', url: '/v1/plans', payload: planInput })).json()
  await open.app.inject({ method: 'POST', url: `/v1/plans/${plan.id}/runs` })
  await heartbeatWorker(open.db, { id: randomUUID(), host: 'h', pid: 1, version: '0', loadProcesses: 2 })
  const { body } = await open.app.inject('/metrics')
  expect(body).toContain('loadcurve_runs{state="waiting"} 1')
  expect(body).toContain('loadcurve_workers 1')
  expect((await open.app.inject('/v1/workers')).json().items).toEqual([
    expect.objectContaining({ host: 'h', loadProcesses: 2 }),
  ])
})

test('security: headers forbid framing, sniffing and scripts from elsewhere', async () => {
  const { headers } = await open.app.inject('/healthz')
  expect(headers['content-security-policy']).toContain("script-src 'self'")
  expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
  expect(headers['x-content-type-options']).toBe('nosniff')
})

test('rate limit: beyond it the answer is 429 with when to come back', async () => {
  const service = await testApp({ config: { requestsPerMinute: 3 } })
  const codes: number[] = []
  for (let n = 0; n < 5; n++) codes.push((await service.app.inject('/v1/plans')).statusCode)
  expect(codes).toEqual([200, 200, 200, 429, 429])
  const refused = await service.app.inject('/v1/plans')
  expect(refused.json()).toMatchObject({ code: 'too-many-requests' })
  expect(refused.headers['retry-after']).toBeDefined()
  expect((await service.app.inject('/healthz')).statusCode).toBe(200)
  await service.close()
})

test('errors: what breaks inside is a 500 that tells nothing', async () => {
  const service = await testApp()
  service.app.get('/boom', () => {
    throw new Error('the secret password is hunter2')
  })
  const answer = await service.app.inject('/boom')
  expect(answer.statusCode).toBe(500)
  expect(answer.body).not.toContain('hunter2')
  expect(answer.json().code).toBe('internal-error')
  await service.close()
})
