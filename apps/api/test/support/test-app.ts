/** The API on a real Postgres of its own, without listening: requests go through `inject`. */

import { findApiKey, listApiKeys } from '@loadcurve/store/api-keys'
import { openEventFeed } from '@loadcurve/store/events'
import pino from 'pino'
import { freshDatabase } from '../../../../packages/store/test/support/fresh-database.ts'
import { buildApp } from '../../src/app.ts'
import { startCompute } from '../../src/compute.ts'
import { type ApiConfig, readConfig } from '../../src/config.ts'
import { targetPolicy } from '../../src/target-policy.ts'

export interface TestAppOptions {
  readonly config?: Partial<ApiConfig>
  readonly dashboardDir?: string | null
  /** Where log lines go, for tests that read them. */
  readonly log?: (line: string) => void
}

export async function testApp({ config: changes = {}, dashboardDir = null, log }: TestAppOptions = {}) {
  const database = await freshDatabase()
  const config = { ...readConfig({}), ...changes }
  const nudged: string[] = []
  const clock = { nowMs: Date.UTC(2026, 0, 15, 12) }
  const events = openEventFeed({
    connectionString: database.connectionString,
    db: database.db,
    onError: () => {},
  })
  const compute = startCompute()
  const app = await buildApp({
    config,
    logger: pino({ level: log === undefined ? 'silent' : 'info' }, { write: (line: string) => log?.(line) }),
    context: {
      db: database.db,
      events,
      compute,
      nudge: async (runId) => void nudged.push(runId),
      policy: targetPolicy(config),
      findKey: async (key) => (await findApiKey(database.db, key)) !== null,
      anyKey: async () => (await listApiKeys(database.db)).some((key) => key.revokedAt === null),
      eventStreamsMax: config.eventStreamsMax,
      nowMs: () => clock.nowMs,
      dashboardDir,
    },
  })
  return {
    app,
    db: database.db,
    nudged,
    clock,
    close: async () => {
      await events.close()
      await app.close()
      await compute.close()
      await database.close()
    },
  }
}

export const planInput = {
  name: 'a plan',
  target: { baseUrl: 'http://127.0.0.1:9/v1', model: 'm' },
}

export const unknownId = '00000000-0000-4000-8000-000000000000'
