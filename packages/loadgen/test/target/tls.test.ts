import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import { parseTargetPolicy } from '@loadcurve/core/plan/target-policy'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TlsOptions } from '../../src/target/connector.ts'
import { exchange } from '../../src/target/exchange.ts'
import { open, REQUEST } from './exchange-set-up.ts'

/** A certificate of our own, for target.test and localhost. */
const cert = readFileSync(new URL('../fixtures/tls-cert.pem', import.meta.url), 'utf8')
const key = readFileSync(new URL('../fixtures/tls-key.pem', import.meta.url), 'utf8')

let server: Server
let port: number
const names: unknown[] = []
beforeAll(async () => {
  server = createServer({ cert, key }, (_request, response) => {
    names.push((response.socket as { servername?: unknown } | null)?.servername)
    response.setHeader('content-type', 'text/event-stream')
    response.end(
      'data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as { port: number }).port
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const TLS: TlsOptions = { rejectUnauthorized: true, caPem: null, serverName: null }
const rows: [
  fact: string,
  host: string,
  tls: Partial<TlsOptions>,
  outcome: string,
  errorCode: string | null,
][] = [
  ['an unknown authority is refused', 'localhost', {}, 'connection_error', 'tls_failed'],
  ['its authority given', 'localhost', { caPem: cert }, 'ok', null],
  ['verification switched off', 'localhost', { rejectUnauthorized: false }, 'ok', null],
  [
    'an address that the certificate does not name',
    '127.0.0.1',
    { caPem: cert },
    'connection_error',
    'tls_failed',
  ],
  ['the name to ask for given', '127.0.0.1', { caPem: cert, serverName: 'target.test' }, 'ok', null],
]
test.each(rows)('TLS: %s', async (_fact, host, tls, outcome, errorCode) => {
  const lookup = (
    _name: string,
    _options: unknown,
    callback: (error: null, found: { address: string; family: number }[]) => void,
  ) => callback(null, [{ address: '127.0.0.1', family: 4 }])
  const target = open(
    { baseUrl: `https://${host}:${port}/v1` },
    { tls: { ...TLS, ...tls }, policy: parseTargetPolicy('loopback'), lookup },
  )
  expect(await exchange(target, REQUEST)).toMatchObject({
    outcome,
    errorCode,
    sentAtMs: outcome === 'ok' ? expect.any(Number) : null,
  })
  if (tls.serverName !== undefined) expect(names.at(-1)).toBe(tls.serverName)
})
