/** A real Postgres for one test file: a cluster of its own, or an empty database in the one that the environment names. */
import { randomUUID } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrateDatabase, openDatabase } from '@loadcurve/store/database'
import { startLocalPostgres } from '@loadcurve/store/local-postgres'
import pg from 'pg'

export async function freshDatabase() {
  const folder = mkdtempSync(join(tmpdir(), 'loadcurve-test-'))
  chmodSync(folder, 0o711)
  const postgres = await startLocalPostgres(folder)
  const { db, close } = openDatabase({ connectionString: postgres.connectionString, onError: () => {} })
  await migrateDatabase(db)
  return {
    db,
    connectionString: postgres.connectionString,
    close: async () => {
      await close()
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Ends every other connection of a database, as a restart of the server would. */
export async function dropConnections(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
  )
  await client.end()
}

export const unknownId = () => randomUUID()
