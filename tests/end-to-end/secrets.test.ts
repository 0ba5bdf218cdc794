/** A planted key must not come out anywhere: not in logs, events, errors, exports, reports, or the database. */

import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { startRun } from './support/follow.ts'
import { quickPlan } from './support/plans.ts'
import { ServiceUnderTest } from './support/service.ts'

const KEY = 'sk-planted-2f9c1e7b4d8a'
const WRONG_KEY = 'sk-planted-wrong-77aa'

let service: ServiceUnderTest | null = null
afterEach(async () => {
  await service?.stop()
  service = null
})

test('secrets: the key of a target is used and never shown', async () => {
  service = await ServiceUnderTest.start({
    queue: 'postgres',
    workers: 1,
    simulator: { preset: 'small', apiKeys: [KEY] },
    env: { LOADCURVE_TARGET_KEY_GOOD: KEY, LOADCURVE_TARGET_KEY_BAD: WRONG_KEY, LOG_LEVEL: 'trace' },
  })
  const client = service.client()
  const plan = (apiKeyRef: string) =>
    quickPlan(service?.simulatorUrl ?? '', { target: { apiKeyRef }, sweep: { concurrency: [2] } })
  const good = await startRun(client, plan('good'))
  expect((await good.ended).run).toMatchObject({ state: 'finished' })
  const bad = await startRun(client, plan('bad'))
  expect((await bad.ended).run).toMatchObject({ state: 'failed', reason: 'unauthorized' })
  const missing = await startRun(client, plan('absent'))
  expect((await missing.ended).run).toMatchObject({ state: 'failed', reason: 'target-key-missing' })

  const places = await everythingSaid(service, [good.id, bad.id, missing.id])
  expect(Object.keys(places).length).toBeGreaterThan(10)
  for (const [place, text] of Object.entries(places)) {
    expect(text.includes(KEY), place).toBe(false)
    expect(text.includes(WRONG_KEY), place).toBe(false)
  }
}, 90_000)

async function everythingSaid(
  service: ServiceUnderTest,
  runIds: readonly string[],
): Promise<Record<string, string>> {
  const paths = runIds.flatMap((id) =>
    [
      '',
      '/steps',
      '/samples',
      '/samples?format=csv',
      '/recommendation',
      '/report?format=json',
      '/report',
      '/events',
    ].map((part) => `/v1/runs/${id}${part}`),
  )
  const answers: Record<string, string> = { log: service.output() }
  for (const path of [...paths, '/v1/plans', '/v1/runs', '/metrics', '/openapi.json']) {
    answers[path] = await (await fetch(`${service.url}${path}`)).text()
  }
  return { ...answers, ...(await databaseText(service)) }
}

async function databaseText(service: ServiceUnderTest): Promise<Record<string, string>> {
  const { db, close } = service.database()
  const texts: Record<string, string> = {}
  for (const { schema = 'public', name } of await db.introspection.getTables()) {
    const { rows } = await sql`select * from ${sql.id(schema, name)}`.execute(db)
    texts[`table ${schema}.${name}`] = JSON.stringify(rows)
  }
  await close()
  return texts
}
