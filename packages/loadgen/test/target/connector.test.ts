import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { parseTargetPolicy } from '@loadcurve/core/plan/target-policy'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTarget } from '../../src/target/agent.ts'
import { type NameLookup, TargetRefusedError } from '../../src/target/connector.ts'
import { exchange } from '../../src/target/exchange.ts'
import { openVisitor } from '../../src/target/visitor.ts'
import { open, REQUEST, serve } from './exchange-set-up.ts'
import { plain } from './scripted-server.ts'

/** Listens on every address of this machine, so that whatever a trick reaches here is seen. */
let trap: Server
let accepted = 0
let port = 0
beforeAll(async () => {
  trap = createServer((socket) => {
    accepted++
    socket.destroy()
  }).listen(0, '::')
  await once(trap, 'listening')
  port = (trap.address() as { port: number }).port
})
afterAll(() => {
  trap.close()
})

/** A name server of our own: each name has the addresses that its row says. */
function lookupOf(names: Readonly<Record<string, readonly string[]>>): NameLookup {
  return (name, _options, callback) => {
    const addresses = (names[name] ?? []).map(
      (address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 }),
    )
    callback(
      addresses.length === 0 ? Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }) : null,
      addresses,
    )
  }
}

const NAMES = {
  'rebind.test': ['127.0.0.1'],
  'metadata.test': ['169.254.169.254'],
  'mapped.test': ['::ffff:169.254.169.254'],
  'mixed.test': ['203.0.113.7', '127.0.0.1'],
  'zero.test': ['0.0.0.0'],
  'six.test': ['::1'],
  'private.test': ['10.0.0.1'],
}

/** Each with the list of allowed targets under which it is tried. PORT is that of the trap. */
const TRICKS: [fact: string, url: string, allowed: string][] = [
  ['metadata service', 'http://169.254.169.254:PORT/v1', '*'],
  ['metadata service, decimal', 'http://2852039166:PORT/v1', '*'],
  ['metadata service, hexadecimal', 'http://0xa9fea9fe:PORT/v1', '*'],
  ['metadata service, octal', 'http://0251.0376.0251.0376:PORT/v1', '*'],
  ['metadata service, mixed bases', 'http://0xa9.254.0251.254:PORT/v1', '*'],
  ['metadata service, mapped to IPv6', 'http://[::ffff:169.254.169.254]:PORT/v1', '*'],
  ['metadata service, mapped in hexadecimal', 'http://[::ffff:a9fe:a9fe]:PORT/v1', '*'],
  ['metadata service, NAT64', 'http://[64:ff9b::a9fe:a9fe]:PORT/v1', '*'],
  ['metadata service by name', 'http://metadata.google.internal:PORT/v1', '*'],
  ['metadata service over IPv6', 'http://[fd00:ec2::254]:PORT/v1', '*'],
  ['link-local', 'http://169.254.1.1:PORT/v1', '*'],
  ['link-local IPv6', 'http://[fe80::1]:PORT/v1', '*'],
  ['this network', 'http://0.0.0.0:PORT/v1', '*'],
  ['unspecified IPv6', 'http://[::]:PORT/v1', '*'],
  ['broadcast', 'http://255.255.255.255:PORT/v1', '*'],
  ['multicast', 'http://224.0.0.1:PORT/v1', '*'],
  ['loopback, not allowed', 'http://127.0.0.1:PORT/v1', '203.0.113.0/24'],
  ['loopback, decimal', 'http://2130706433:PORT/v1', '203.0.113.0/24'],
  ['loopback, hexadecimal', 'http://0x7f000001:PORT/v1', '203.0.113.0/24'],
  ['loopback, short', 'http://127.1:PORT/v1', '203.0.113.0/24'],
  ['loopback, hexadecimal and short', 'http://0x7f.1:PORT/v1', '203.0.113.0/24'],
  ['loopback, octal', 'http://0177.0.0.1:PORT/v1', '203.0.113.0/24'],
  ['loopback IPv6', 'http://[::1]:PORT/v1', '203.0.113.0/24'],
  ['loopback, mapped', 'http://[::ffff:127.0.0.1]:PORT/v1', '203.0.113.0/24'],
  ['loopback, compatible', 'http://[::127.0.0.1]:PORT/v1', '203.0.113.0/24'],
  ['another loopback address', 'http://127.8.8.8:PORT/v1', '203.0.113.0/24'],
  ['localhost', 'http://localhost:PORT/v1', '203.0.113.0/24'],
  ['localhost with a dot', 'http://localhost.:PORT/v1', '203.0.113.0/24'],
  ['full-width digits', 'http://１２７.0.0.1:PORT/v1', '203.0.113.0/24'],
  ['enclosed digits', 'http://①②⑦.⓪.⓪.①:PORT/v1', '203.0.113.0/24'],
  ['percent-encoded', 'http://%31%32%37.0.0.1:PORT/v1', '203.0.113.0/24'],
  ['user-info before the host', 'http://203.0.113.1@127.0.0.1:PORT/v1', '203.0.113.0/24'],
  ['backslash', 'http://203.0.113.1\\@127.0.0.1:PORT/v1', '203.0.113.0/24'],
  ['fragment before the host', 'http://127.0.0.1:PORT#@203.0.113.1/v1', '203.0.113.0/24'],
  ['a name that resolves to loopback', 'http://rebind.test:PORT/v1', 'rebind.test'],
  ['a name that resolves to the metadata service', 'http://metadata.test:PORT/v1', '*'],
  ['a name that resolves to a mapped address', 'http://mapped.test:PORT/v1', '*'],
  ['a name with one good and one bad address', 'http://mixed.test:PORT/v1', 'mixed.test'],
  ['a name that resolves to this network', 'http://zero.test:PORT/v1', '*'],
  ['a name that resolves to loopback IPv6', 'http://six.test:PORT/v1', 'six.test'],
  ['a name that is not allowed', 'http://private.test:PORT/v1', 'loopback'],
  ['our own port', 'http://127.0.0.1:PORT/v1', 'loopback-with-own-port'],
  ['our own port by name', 'http://localhost:PORT/v1', 'loopback-with-own-port'],
  ['our own port by IPv6', 'http://[::1]:PORT/v1', 'loopback-with-own-port'],
]

function policyOf(allowed: string) {
  if (allowed !== 'loopback-with-own-port') return parseTargetPolicy(allowed)
  return parseTargetPolicy('loopback', [{ host: '127.0.0.1', port }])
}

describe('target policy: no trick reaches the trap', () => {
  test('there are at least thirty tricks', () => {
    expect(TRICKS.length).toBeGreaterThanOrEqual(30)
  })

  test.each(TRICKS)('%s', async (_fact, pattern, allowed) => {
    const before = accepted
    const baseUrl = pattern.replace('PORT', String(port))
    const policy = policyOf(allowed)
    const lookup = lookupOf(NAMES)
    // The load itself.
    const outcome = await loadOnce(baseUrl, policy, lookup)
    expect(outcome).toMatch(/^(refused|connection_error)$/)
    // And the same door for metrics, tokenizer and model list.
    const visitor = openVisitor({ policy, lookup, baseUrl: 'http://127.0.0.1/v1', apiKey: null, headers: {} })
    const answer = await visitor.visit({ url: baseUrl, timeoutMs: 500 })
    await visitor.close()
    expect(answer.ok).toBe(false)
    expect(accepted - before).toBe(0)
  })
})

async function loadOnce(
  baseUrl: string,
  policy: ReturnType<typeof policyOf>,
  lookup: NameLookup,
): Promise<string> {
  try {
    const target = open({ baseUrl }, { policy, lookup, deadlines: { connectMs: 500 } })
    const { outcome, sentAtMs } = await exchange(target, REQUEST)
    expect(sentAtMs).toBeNull()
    return outcome
  } catch (error) {
    expect(error).toBeInstanceOf(TargetRefusedError)
    return 'refused'
  }
}

describe('target policy: what it lets through', () => {
  test('the trap does count: an allowed address reaches it', async () => {
    const before = accepted
    await loadCounted(`http://127.0.0.1:${port}/v1`)
    // A connection that dies before the first byte is tried again.
    expect(accepted - before).toBe(3)
  })

  test('an allowed name whose addresses are allowed', async () => {
    const before = accepted
    await loadCounted(`http://rebind.test:${port}/v1`, 'loopback rebind.test')
    expect(accepted - before).toBe(3)
  })

  async function loadCounted(baseUrl: string, allowed = 'loopback') {
    const target = open({ baseUrl }, { policy: parseTargetPolicy(allowed), lookup: lookupOf(NAMES) })
    return exchange(target, REQUEST)
  }

  test('a name that changes after the first connection is refused at the next one', async () => {
    const server = await serve(() => [
      ...plain(200, 'application/json', '{}', 'Connection: close\r\n'),
      { end: 'fin' },
    ])
    let looks = 0
    const lookup: NameLookup = (name, options, callback) => {
      looks++
      lookupOf({ 'rebind.test': [looks === 1 ? '127.0.0.1' : '169.254.169.254'] })(name, options, callback)
    }
    const target = openTarget({
      baseUrl: `http://rebind.test:${server.port}/v1`,
      endpoint: 'chat',
      apiKey: null,
      headers: {},
      connections: 1,
      policy: parseTargetPolicy('loopback rebind.test'),
      nowMs: () => performance.now(),
      lookup,
    })
    expect((await exchange(target, REQUEST)).httpStatus).toBe(200)
    expect(await exchange(target, REQUEST)).toMatchObject({
      outcome: 'connection_error',
      errorCode: 'target_metadata',
      sentAtMs: null,
    })
    await target.close()
    expect(server.connections).toBe(1)
  })

  test('a redirect to a refused address is not followed', async () => {
    const before = accepted
    const server = await serve(() => plain(302, 'text/plain', '', `Location: http://[::1]:${port}/\r\n`))
    expect(await exchange(open(server), REQUEST)).toMatchObject({
      outcome: 'http_error',
      errorCode: 'redirect_not_followed',
    })
    expect(accepted - before).toBe(0)
  })

  test('a proxy in the environment is not used', async () => {
    const before = accepted
    const server = await serve(() => plain(200, 'application/json', '{}'))
    process.env['HTTP_PROXY'] = process.env['http_proxy'] = `http://127.0.0.1:${port}`
    try {
      expect((await exchange(open(server), REQUEST)).httpStatus).toBe(200)
    } finally {
      delete process.env['HTTP_PROXY']
      delete process.env['http_proxy']
    }
    expect(accepted - before).toBe(0)
  })
})
