/** A worker, put together: queues, shards, conductor, reconciler; and taken apart again in order. */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { redactor } from '@loadcurve/core/run/redact'
import { migrateDatabase, openDatabase } from '@loadcurve/store/database'
import { openQueues } from '@loadcurve/store/queue'
import { conductUnfinished } from './conduct.ts'
import type { WorkerConfig } from './config.ts'
import type { WorkerContext } from './context.ts'
import type { Log } from './log.ts'
import { startReconciler } from './reconcile.ts'
import { runShard } from './shard.ts'
import { version } from './version.ts'

export interface RunningWorker {
  /** Gives up what is going on, so that another worker can take it over, and leaves nothing behind. */
  readonly stop: () => Promise<void>
}

export async function startWorker(
  config: WorkerConfig,
  log: Log,
  env: Readonly<Record<string, string | undefined>>,
): Promise<RunningWorker> {
  const onError = throttled((error) => log.warn({ err: error }, 'connection'))
  const { db, close } = openDatabase({ connectionString: config.databaseUrl, onError })
  await migrateDatabase(db)
  const queues = openQueues({ databaseUrl: config.databaseUrl, redisUrl: config.redisUrl, onError })
  const stopping = new AbortController()
  const context: WorkerContext = {
    ...{ config, db, queues, log, env, stopping: stopping.signal },
    workerId: randomUUID(),
    redact: redactor(config.secrets),
  }
  const conducting = onlyOnce(
    () => conductUnfinished(context),
    (error) => log.warn({ err: error }, 'conducting failed'),
  )
  // A nudge says "look": it is done as soon as somebody looks.
  const nudges = queues.onNudge(async () => void conducting.call())
  const shards =
    config.loadProcesses > 0 ? queues.onShard((key) => runShard(context, key), config.loadProcesses) : null
  const reconciler = startReconciler(
    context,
    { host: hostname(), pid: process.pid, version },
    conducting.call,
  )
  log.info({ workerId: context.workerId, loadProcesses: config.loadProcesses }, 'worker ready')
  return {
    stop: async () => {
      stopping.abort(new Error('the worker stops'))
      await reconciler.stop()
      await Promise.all([nudges.close(), shards?.close(), conducting.ended()])
      await queues.close()
      await close()
    },
  }
}

/** One call at a time; whoever calls meanwhile gets the one that is going on. Never rejects. */
function onlyOnce(run: () => Promise<void>, onError: (error: unknown) => void) {
  let current: Promise<void> | null = null
  const call = (): Promise<void> => {
    current ??= run()
      .catch(onError)
      .finally(() => {
        current = null
      })
    return current
  }
  return { call, ended: async () => void (await current) }
}

const SAY_AGAIN_MS = 5_000

// A server that is away makes every connection complain, several times a second.
function throttled(say: (error: Error) => void): (error: Error) => void {
  let saidAtMs = Number.NEGATIVE_INFINITY
  return (error) => {
    if (performance.now() - saidAtMs < SAY_AGAIN_MS) return
    saidAtMs = performance.now()
    say(error)
  }
}
