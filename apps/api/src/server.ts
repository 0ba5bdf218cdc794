/**
 * The process: reads its environment, opens its parts, listens, and closes them in order. Started by `loadcurve up`
 * (then it ends when the channel to its parent closes) or by itself in a container.
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ServiceReady } from '@loadcurve/core/run/service-message'
import { findApiKey, listApiKeys } from '@loadcurve/store/api-keys'
import { migrateDatabase, openDatabase } from '@loadcurve/store/database'
import { openEventFeed } from '@loadcurve/store/events'
import { openQueues } from '@loadcurve/store/queue'
import { noteMissingWorkers } from '@loadcurve/store/workers'
import pino, { type Logger } from 'pino'
import { buildApp } from './app.ts'
import { startCompute } from './compute.ts'
import { type ApiConfig, ConfigError, readConfig } from './config.ts'
import { targetPolicy } from './target-policy.ts'

const SHUTDOWN_MS_MAX = 10_000
const MISSING_WORKERS_MS = 3_000

async function main(): Promise<void> {
  const config = readConfig(process.env)
  const logger = openLogger(config.logLevel)
  const stop = await serve(config, logger)
  let stopping = false
  const shutDown = (why: string) => {
    if (stopping) return
    stopping = true
    logger.info({ why }, 'shutting down')
    setTimeout(() => process.exit(1), SHUTDOWN_MS_MAX).unref()
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'shutdown failed')
        process.exit(1)
      },
    )
  }
  process.once('SIGTERM', () => shutDown('SIGTERM'))
  process.once('SIGINT', () => shutDown('SIGINT'))
  process.once('disconnect', () => shutDown('parent gone'))
}

async function serve(config: ApiConfig, logger: Logger): Promise<() => Promise<void>> {
  if (config.databaseUrl === null) {
    throw new ConfigError(['DATABASE_URL is not set. "loadcurve up" sets it to a local Postgres by itself.'])
  }
  const onError = (part: string) => (error: Error) => logger.warn({ err: error, part }, 'connection trouble')
  const database = openDatabase({ connectionString: config.databaseUrl, onError: onError('postgres') })
  await migrateDatabase(database.db)
  const queues = openQueues({
    databaseUrl: config.databaseUrl,
    redisUrl: config.redisUrl,
    onError: onError('queue'),
  })
  const events = openEventFeed({
    connectionString: config.databaseUrl,
    db: database.db,
    onError: onError('events'),
  })
  const compute = startCompute()
  const app = await buildApp({
    config,
    logger,
    context: {
      db: database.db,
      events,
      compute,
      nudge: queues.nudge,
      policy: targetPolicy(config),
      findKey: async (key) => (await findApiKey(database.db, key)) !== null,
      anyKey: async () => (await listApiKeys(database.db)).some((key) => key.revokedAt === null),
      eventStreamsMax: config.eventStreamsMax,
      nowMs: Date.now,
      dashboardDir: dashboardDir(),
    },
  })
  const url = await app.listen({ host: config.host, port: config.port })
  process.send?.({ type: 'ready', url } satisfies ServiceReady)
  // Only the API is there when no worker is: it says so in the history of the runs that wait.
  const missing = setInterval(
    () => void noteMissingWorkers(database.db).catch(onError('missing workers')),
    MISSING_WORKERS_MS,
  )
  return async () => {
    clearInterval(missing)
    await events.close()
    await app.close()
    await queues.close()
    await compute.close()
    await database.close()
  }
}

function dashboardDir(): string | null {
  const folder = fileURLToPath(new URL('../../web/dist', import.meta.url))
  return existsSync(folder) ? folder : null
}

function openLogger(level: string): Logger {
  process.stdout.on('error', () => {})
  const redact = ['req.headers.authorization', 'req.headers.cookie']
  const base = { service: 'api' }
  // Through the stream and not pino's own writer, which waits for ever when nobody reads the other end of the pipe:
  // an owner that was killed must not keep us.
  if (!process.stdout.isTTY)
    return pino({ level, redact, base }, { write: (line) => process.stdout.write(line) })
  return pino({
    level,
    redact,
    base,
    transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } },
  })
}

main().catch((error: unknown) => {
  if (error instanceof ConfigError) {
    for (const violation of error.violations) console.error(violation)
    process.exit(2)
  }
  console.error(error)
  process.exit(1)
})
