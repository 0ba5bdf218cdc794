/**
 * Small, bounded questions to a server beside the load: its models, version, metrics, tokenizer. They go through the
 * same door as the load (target policy, no redirects, no proxies), and each ends within its time whatever happens.
 */

import type { TargetPolicy } from '@loadcurve/core/plan/target-policy'
import { judgeTargetUrl } from '@loadcurve/core/plan/target-policy'
import { Pool } from 'undici'
import { type NameLookup, policyConnector, TargetRefusedError, type TlsOptions } from './connector.ts'
import { endingOfError } from './ending.ts'
import { redacted } from './redact.ts'

export interface VisitorOptions {
  readonly policy: TargetPolicy
  /** Only the origin of this URL is shown the key and the plan's headers. */
  readonly baseUrl: string
  readonly apiKey: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly tls?: TlsOptions | null
  readonly lookup?: NameLookup
}

export interface VisitRequest {
  readonly url: string
  /** Default: GET without JSON, POST with. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH'
  readonly json?: unknown
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

export interface Answer {
  readonly ok: true
  readonly status: number
  readonly contentType: string
  readonly server: string
  /** The first 8 MB. */
  readonly text: string
}

/** No answer: `code` is stable (`connection_refused`, `timeout`, the policy's codes, ...). */
export interface NoAnswer {
  readonly ok: false
  readonly code: string
  readonly message: string
}

export interface Visitor {
  /** Never rejects. */
  visit(request: VisitRequest): Promise<Answer | NoAnswer>
  close(): Promise<void>
}

const TEXT_BYTES_MAX = 8 * 1024 * 1024

/** Opens a visitor; it connects when it is first asked. */
export function openVisitor(options: VisitorOptions): Visitor {
  const pools = new Map<string, Pool>()
  return {
    visit: async (request) => {
      const refusal = judgeTargetUrl(request.url, options.policy)
      if (refusal !== null) return { ok: false, code: refusal.code, message: refusal.message }
      const url = new URL(request.url)
      const pool = pools.get(url.origin) ?? openPool(url, request.timeoutMs, options)
      pools.set(url.origin, pool)
      return ask(pool, url, request, options)
    },
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()))
    },
  }
}

function openPool(url: URL, timeoutMs: number, options: VisitorOptions): Pool {
  return new Pool(url.origin, {
    connections: 4,
    // Every question has its own deadline; a stale connection must not answer for the server.
    keepAliveTimeout: 1000,
    keepAliveMaxTimeout: 1000,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: policyConnector({
      url,
      policy: options.policy,
      connectTimeoutMs: timeoutMs,
      tls: options.tls ?? null,
      ...(options.lookup === undefined ? {} : { lookup: options.lookup }),
    }),
  })
}

async function ask(
  pool: Pool,
  url: URL,
  request: VisitRequest,
  options: VisitorOptions,
): Promise<Answer | NoAnswer> {
  const deadline = AbortSignal.timeout(request.timeoutMs)
  const signal = request.signal === undefined ? deadline : AbortSignal.any([deadline, request.signal])
  try {
    const response = await pool.request({
      method: request.method ?? (request.json === undefined ? 'GET' : 'POST'),
      path: `${url.pathname}${url.search}`,
      headers: headersFor(url, request, options),
      body: request.json === undefined ? null : JSON.stringify(request.json),
      signal,
    })
    return {
      ok: true,
      status: response.statusCode,
      contentType: String(response.headers['content-type'] ?? ''),
      server: String(response.headers['server'] ?? ''),
      text: await readText(response.body),
    }
  } catch (error) {
    return noAnswer(error as Error, deadline.aborted, options.apiKey)
  }
}

function headersFor(url: URL, request: VisitRequest, options: VisitorOptions): Record<string, string> {
  const trusted = new URL(options.baseUrl).origin === url.origin
  return {
    'user-agent': 'loadcurve',
    'accept-encoding': 'identity',
    ...(request.json === undefined ? {} : { 'content-type': 'application/json' }),
    ...(trusted && options.apiKey !== null ? { authorization: `Bearer ${options.apiKey}` } : {}),
    ...(trusted ? options.headers : {}),
  }
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > TEXT_BYTES_MAX) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

function noAnswer(error: Error, timedOut: boolean, apiKey: string | null): NoAnswer {
  if (timedOut) return { ok: false, code: 'timeout', message: 'no answer within the time allowed' }
  if (error instanceof TargetRefusedError) return { ok: false, code: error.code, message: error.message }
  if (error.name === 'AbortError') return { ok: false, code: 'cancelled', message: 'cancelled' }
  const { code, text } = endingOfError(error)
  return { ok: false, code: code ?? 'connection_failed', message: redacted(text, apiKey) ?? error.name }
}
