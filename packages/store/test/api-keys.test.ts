import { createApiKey, findApiKey, listApiKeys, revokeApiKey } from '@loadcurve/store/api-keys'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase, unknownId } from './support/fresh-database.ts'

let store: Awaited<ReturnType<typeof freshDatabase>>
beforeAll(async () => {
  store = await freshDatabase()
})
afterAll(() => store.close())

test('api keys: a key is found until it is revoked, and no other text is a key', async () => {
  const { key, id } = await createApiKey(store.db, 'laptop')
  expect(await findApiKey(store.db, key)).toMatchObject({ id, name: 'laptop' })
  expect(await findApiKey(store.db, `${key} `)).toBeNull()
  expect(await findApiKey(store.db, '')).toBeNull()
  expect(await revokeApiKey(store.db, id)).toBe(true)
  expect(await findApiKey(store.db, key)).toBeNull()
  expect(await revokeApiKey(store.db, id)).toBe(false)
  expect(await revokeApiKey(store.db, unknownId())).toBe(false)
})

test('api keys: the database holds no key', async () => {
  const { key } = await createApiKey(store.db, 'ci')
  const rows = await store.db.selectFrom('api_keys').selectAll().execute()
  expect(JSON.stringify(rows)).not.toContain(key)
  expect(rows.every(({ hash }) => !hash.toString('latin1').includes(key))).toBe(true)
  expect((await listApiKeys(store.db)).map(({ name }) => name)).toContain('ci')
})
