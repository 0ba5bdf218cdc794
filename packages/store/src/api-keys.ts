/**
 * API keys. Only the SHA-256 of a key is stored: keys are 256 random bits, so there is nothing to guess and a slow
 * password hash would only slow every request down.
 */
import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import type { Database } from './database.ts'

export interface ApiKey {
  readonly id: string
  readonly name: string
  readonly createdAt: Date
  readonly revokedAt: Date | null
}

/** Creates a key. The key itself is shown here and never again. */
export async function createApiKey(
  db: Database,
  name: string,
): Promise<{ readonly key: string; readonly id: string }> {
  const key = `lc_${randomBytes(32).toString('base64url')}`
  const id = randomUUID()
  await db
    .insertInto('api_keys')
    .values({ id, name, hash: hashApiKey(key) })
    .execute()
  return { key, id }
}

/** Whose key this is; null when it is unknown or revoked. */
export async function findApiKey(db: Database, key: string): Promise<ApiKey | null> {
  const hash = hashApiKey(key)
  const row = await db
    .selectFrom('api_keys')
    .selectAll()
    .where('hash', '=', hash)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  // The index compares hashes byte by byte; that leaks nothing about the key, and the last word is constant-time.
  if (row === undefined || !timingSafeEqual(row.hash, hash)) return null
  return { id: row.id, name: row.name, createdAt: row.created_at, revokedAt: row.revoked_at }
}

export async function listApiKeys(db: Database): Promise<ApiKey[]> {
  const rows = await db.selectFrom('api_keys').selectAll().orderBy('created_at').execute()
  return rows.map(({ id, name, created_at, revoked_at }) => ({
    ...{ id, name, createdAt: created_at, revokedAt: revoked_at },
  }))
}

/** Ends a key; false when there is no such key, or it was revoked before. */
export async function revokeApiKey(db: Database, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('api_keys')
    .set({ revoked_at: new Date() })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** The form in which a key is stored and compared. */
export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
