/**
 * The queues. They carry nudges and shard assignments, never results: a queue that is emptied costs a second, since
 * the reconciler nudges again from Postgres. With a Redis URL they live in Redis, else in the same Postgres.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { createPostgresBackend, type Job, Queue, type QueueOptions, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { surviveErrors } from './database.ts'
import { type LastingQueue, lastingQueue, lastingWorker } from './lasting-queue.ts'
import type { ShardKey } from './shards.ts'

export interface QueueSettings {
  readonly databaseUrl: string
  /** Null: the queues live in Postgres. */
  readonly redisUrl: string | null
  /** Told of every broken connection; BullMQ goes on trying by itself. */
  readonly onError: (error: Error) => void
  /** Separates services that share a Redis; default `loadcurve`. */
  readonly prefix?: string
}

export interface Queues {
  /** "Look at what is unfinished." Harmless when it comes twice or too late. */
  readonly nudge: (runId: string) => Promise<void>
  readonly assignShard: (key: ShardKey) => Promise<void>
  readonly onNudge: (processor: (runId: string) => Promise<void>) => QueueWorker
  readonly onShard: (processor: (key: ShardKey) => Promise<void>, processesMax: number) => QueueWorker
  readonly close: () => Promise<void>
}

export interface QueueWorker {
  /** Takes no further work, and waits for what it is doing. */
  readonly close: () => Promise<void>
}

/** A queue that cannot be reached must not hold up who only wants to say something. */
const ADD_TIMEOUT_MS = 3_000
/** Nor who wants to leave. */
const CLOSE_MAX_MS = 6_000
const CONNECTIONS_MAX = 3
/** Nudges return at once unless they conduct, so a few at a time keep them from queuing behind a run. */
const NUDGES_AT_A_TIME = 4
const RECONNECT_MAX_MS = 1_000
// Nothing is kept: the history is in Postgres.
const JOB_OPTIONS = { attempts: 1, removeOnComplete: true, removeOnFail: true }

/** Opens the queues. Nothing fails when the queue's server is away: it is reached as soon as it is there. */
export function openQueues(settings: QueueSettings): Queues {
  const backend =
    settings.redisUrl === null ? postgresBackend(settings) : redisBackend(settings, settings.redisUrl)
  const { onError } = settings
  const runs = lastingQueue(() => listened(backend.queue('runs'), onError))
  const shards = lastingQueue(() => listened(backend.queue('shards'), onError))
  const add = async (queue: LastingQueue, name: string, data: object): Promise<void> =>
    void (await bounded(queue.ready().then((ready) => ready.add(name, data, JOB_OPTIONS))))
  const work = (name: string, processor: (job: Job) => Promise<void>, concurrency: number) => {
    const worker = lastingWorker(
      () => listened(backend.worker(name, processor, concurrency), onError),
      onError,
    )
    return { close: () => Promise.race([worker.close(), delay(CLOSE_MAX_MS, undefined, { ref: false })]) }
  }
  return {
    nudge: (runId) => add(runs, 'nudge', { runId }),
    assignShard: (key) => add(shards, 'shard', key),
    onNudge: (processor) => work('runs', (job) => processor(job.data.runId), NUDGES_AT_A_TIME),
    onShard: (processor, processesMax) => work('shards', (job) => processor(job.data), processesMax),
    close: async () => {
      await Promise.allSettled([bounded(runs.close()), bounded(shards.close())])
      await backend.close()
    },
  }
}

interface Backend {
  readonly queue: (name: string) => Queue
  readonly worker: (name: string, processor: (job: Job) => Promise<void>, concurrency: number) => Worker
  readonly close: () => Promise<void>
}

function redisBackend(settings: QueueSettings, url: string): Backend {
  const connect = () =>
    listened(
      new Redis(url, {
        maxRetriesPerRequest: null,
        retryStrategy: (times) => Math.min(times * 100, RECONNECT_MAX_MS),
        enableReadyCheck: true,
      }),
      settings.onError,
    )
  const connections: Redis[] = []
  const options = (): QueueOptions => {
    const connection = connect()
    connections.push(connection)
    return { connection, prefix: settings.prefix ?? 'loadcurve' }
  }
  return {
    queue: (name) => new Queue(name, options()),
    worker: (name, processor, concurrency) =>
      new Worker(name, processor, { ...options(), ...workerOptions(concurrency) }),
    close: async () => {
      for (const connection of connections) connection.disconnect()
    },
  }
}

function postgresBackend({ databaseUrl, onError }: QueueSettings): Backend {
  // Each object keeps a small pool and one listening connection of its own.
  const connection = {
    connectionString: databaseUrl,
    migrate: true,
    max: CONNECTIONS_MAX,
    onConnect: surviveErrors(onError),
  }
  return {
    queue: (name) => new Queue(name, { connection }, patientBackend) as unknown as Queue,
    worker: (name, processor, concurrency) =>
      new Worker(
        name,
        processor as never,
        { connection, ...workerOptions(concurrency) },
        patientBackend,
      ) as unknown as Worker,
    close: async () => {},
  }
}

/**
 * BullMQ's own backend, but a look for work that failed is followed by a pause. BullMQ makes one only when TCP was
 * refused: a socket file that is gone, or a server that is starting up, it would ask as fast as it can.
 */
const patientBackend: typeof createPostgresBackend = (...given) => {
  const backend = createPostgresBackend(...given)
  const moveToActive = backend.moveToActive.bind(backend)
  backend.moveToActive = async (...asked) => {
    try {
      return await moveToActive(...asked)
    } catch (error) {
      await delay(RECONNECT_MAX_MS)
      throw error
    }
  }
  return backend
}

// A shard is never done twice by the queue (the target would be loaded twice): the conductor repeats steps itself.
function workerOptions(concurrency: number) {
  return { concurrency, autorun: false, maxStalledCount: 0, drainDelay: 1, runRetryDelay: RECONNECT_MAX_MS }
}

function listened<T extends { on: (event: 'error', listener: (error: Error) => void) => unknown }>(
  emitter: T,
  onError: (error: Error) => void,
): T {
  emitter.on('error', onError)
  return emitter
}

async function bounded<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new QueueUnavailable()), ADD_TIMEOUT_MS)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** The queue's server did not take a job in time. */
export class QueueUnavailable extends Error {
  readonly code = 'queue-unavailable'
  constructor() {
    super(`the queue did not answer within ${ADD_TIMEOUT_MS} ms`)
  }
}
