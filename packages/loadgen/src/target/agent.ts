/**
 * A target, opened: its connection pool, its parse queue and its sweep of deadlines, shared by all requests of a step.
 *
 * The pool is sized to the step. A pool below the number of requests in flight would queue them silently, so it is
 * given room above it: a connection whose answer has just ended is busy until the event loop has turned, and one
 * that the server is about to close must not be waited for.
 */

import { setMaxListeners } from 'node:events'
import { judgeTargetUrl, type TargetPolicy } from '@loadcurve/core/plan/target-policy'
import { Pool } from 'undici'
import { ParseQueue } from '../wire/parse-queue.ts'
import { type NameLookup, policyConnector, TargetRefusedError, type TlsOptions } from './connector.ts'
import { DEFAULT_DEADLINES, DeadlineSweep, type Deadlines } from './deadlines.ts'

export type EndpointName = 'chat' | 'completions'

export interface TargetOptions {
  /** Base of the API with its version part, for example `http://127.0.0.1:8000/v1`. */
  readonly baseUrl: string
  readonly endpoint: EndpointName
  /** Sent as a bearer token; never shown. */
  readonly apiKey: string | null
  readonly headers: Readonly<Record<string, string>>
  /** The most requests that the step keeps in flight. */
  readonly connections: number
  readonly policy: TargetPolicy
  readonly deadlines?: Partial<Deadlines>
  readonly tls?: TlsOptions | null
  /** Monotonic clock, ms. */
  readonly nowMs: () => number
  /** Name lookup; the system's unless a test brings its own. */
  readonly lookup?: NameLookup
  /** Hears how late each received chunk was stamped, as far as this process can see it: see ParseQueueOptions. */
  readonly onBatchLag?: (lagMs: number) => void
}

/** What happened on the connections of a target so far. */
export interface TargetReadings {
  readonly connectionsOpened: number
  readonly retries: number
  readonly parseQueuePeakBytes: number
  readonly parseQueueBoundReached: number
  readonly parseLongestWaitMs: number
}

/** An open target. Everything but `close` and `readings` serves `exchange`. */
export interface Target {
  readonly endpoint: EndpointName
  readonly basePath: string
  readonly apiKey: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly pool: Pool
  readonly queue: ParseQueue
  readonly sweep: DeadlineSweep
  readonly nowMs: () => number
  readonly closing: AbortSignal
  countRetry(): void
  readings(): TargetReadings
  /** Cancels what is in flight and closes every connection. */
  close(): Promise<void>
}

/** Below the 5 s after which common servers close an idle connection, so that we close it first. */
const KEEP_ALIVE_MS = 3000

/**
 * Opens a target. Nothing is connected before the first exchange.
 *
 * @throws TargetRefusedError when the policy refuses `baseUrl` as it is spelt
 * @throws RangeError when `connections` is not a positive integer
 */
export function openTarget(options: TargetOptions): Target {
  if (!Number.isInteger(options.connections) || options.connections < 1) {
    throw new RangeError(`connections must be a positive integer, got ${options.connections}`)
  }
  // As it is spelt: `new URL` would turn 2130706433 into 127.0.0.1 before anybody could refuse it.
  const refusal = judgeTargetUrl(options.baseUrl, options.policy)
  if (refusal !== null) throw new TargetRefusedError(refusal)
  const url = new URL(options.baseUrl)
  const deadlines = { ...DEFAULT_DEADLINES, ...options.deadlines }
  const queue = new ParseQueue({
    nowMs: options.nowMs,
    ...(options.onBatchLag === undefined ? {} : { onBatchLag: options.onBatchLag }),
  })
  const sweep = new DeadlineSweep(deadlines, options.nowMs)
  const closing = new AbortController()
  // Each request in flight listens.
  setMaxListeners(0, closing.signal)
  const counts = { connectionsOpened: 0, retries: 0 }
  const pool = openPool(url, options, deadlines, () => counts.connectionsOpened++)
  return {
    endpoint: options.endpoint,
    basePath: url.pathname.replace(/\/+$/, ''),
    apiKey: options.apiKey,
    headers: requestHeaders(options),
    pool,
    queue,
    sweep,
    nowMs: options.nowMs,
    closing: closing.signal,
    countRetry: () => {
      counts.retries++
    },
    readings: () => ({
      ...counts,
      parseQueuePeakBytes: queue.peakBytes,
      parseQueueBoundReached: queue.boundReached,
      parseLongestWaitMs: queue.longestWaitMs,
    }),
    close: async () => {
      closing.abort()
      const destroyed = pool.destroy()
      queue.drain()
      await destroyed
    },
  }
}

function openPool(url: URL, options: TargetOptions, deadlines: Deadlines, onConnected: () => void): Pool {
  return new Pool(url.origin, {
    connections: 2 * options.connections + 8,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: 60_000,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: policyConnector({
      url,
      policy: options.policy,
      connectTimeoutMs: deadlines.connectMs,
      tls: options.tls ?? null,
      onConnected,
      // `exchange` takes every chunk as it comes.
      direct: true,
      ...(options.lookup === undefined ? {} : { lookup: options.lookup }),
    }),
  })
}

function requestHeaders(options: TargetOptions): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'text/event-stream, application/json',
    'accept-encoding': 'identity',
    'user-agent': 'loadcurve',
    ...(options.apiKey === null ? {} : { authorization: `Bearer ${options.apiKey}` }),
    ...options.headers,
  }
}
