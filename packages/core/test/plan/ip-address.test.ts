import { isIP } from 'node:net'
import {
  embeddedIpv4,
  isInBlock,
  looksLikeIpv4,
  parseIpAddress,
  parseIpBlock,
  unmapped,
} from '@loadcurve/core/plan/ip-address'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const dotted = (value: bigint | undefined) =>
  value === undefined ? null : [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.')

const ipv4Of = (host: string) => {
  const address = parseIpAddress(host)
  return address?.version === 4 ? dotted(address.value) : null
}

// The platform's URL parser is the oracle: it rewrites every IPv4 spelling to dotted decimal.
const platformHost = (host: string): string | null => {
  try {
    return new URL(`http://${host}/`).hostname
  } catch {
    return null
  }
}

test.each([
  '2130706433',
  '0x7f.1',
  '017700000001',
  '127.1',
  '127.0.1',
  '0x7f000001',
  '0177.0.0.01',
  '127.0.0.1.',
])('ip address: %s is 127.0.0.1', (host) => expect(ipv4Of(host)).toBe('127.0.0.1'))

test.each([
  '256.0.0.1',
  '1.2.3.4.5',
  '08.1.1.1',
  '4294967296',
  '1.2.65536',
  '1..2',
  '',
  '.',
  'a.b',
  '1.2.3.0xg',
])('ip address: "%s" is no IPv4 address', (host) => expect(parseIpAddress(host)).toBeNull())

test('ip address: any spelling of IPv4 is read as the platform reads it', () => {
  const part = fc.oneof(
    fc.nat(300).map(String),
    fc.nat({ max: 2 ** 32 }).map(String),
    fc.nat({ max: 2 ** 32 }).map((value) => `0x${value.toString(16)}`),
    fc.nat({ max: 2 ** 32 }).map((value) => `0${value.toString(8)}`),
    fc.constantFrom('0x', '08', '00', '0X1F', ''),
  )
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), fc.boolean(), (parts, trailing) => {
      const host = parts.join('.') + (trailing ? '.' : '')
      fc.pre(host !== '' && !host.startsWith('.') && !host.includes('..'))
      const expected = platformHost(host)
      expect(ipv4Of(host)).toBe(expected)
      expect(looksLikeIpv4(host)).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})

test('ip address: any spelling of IPv6 is read as the platform reads it', () => {
  const canonical = (value: bigint) =>
    `[${Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16)).join(':')}]`
  fc.assert(
    fc.property(fc.ipV6(), (host) => {
      fc.pre(isIP(host) === 6)
      const address = parseIpAddress(host)
      expect(address?.version).toBe(6)
      if (address != null) expect(platformHost(canonical(address.value))).toBe(platformHost(`[${host}]`))
    }),
    { numRuns: 2_000 },
  )
})

test('ip address: text is an IPv6 address exactly when the platform says so', () => {
  const group = fc.constantFrom('0', '1', 'ffff', '12345', '', 'g', '127.0.0.1', '1.2.3.256')
  fc.assert(
    fc.property(fc.array(group, { minLength: 2, maxLength: 9 }), (groups) => {
      const host = groups.join(':')
      expect(parseIpAddress(host) !== null).toBe(isIP(host) === 6)
    }),
    { numRuns: 5_000 },
  )
})

test.each([
  ['::ffff:169.254.169.254', '169.254.169.254'],
  ['::a9fe:a9fe', '169.254.169.254'],
  ['::ffff:0:a9fe:a9fe', '169.254.169.254'],
  ['64:ff9b::169.254.169.254', '169.254.169.254'],
  ['64:ff9b:1::a9fe:a9fe', '169.254.169.254'],
  ['2002:a9fe:a9fe::1', '169.254.169.254'],
  ['2001:0:102:304:0:0:5601:5601', '169.254.169.254'],
  ['2001:db8::5efe:a9fe:a9fe', '169.254.169.254'],
])('ip address: %s carries %s', (host, inner) => {
  const address = parseIpAddress(host)
  expect(address && embeddedIpv4(address).map((one) => dotted(one.value))).toContain(inner)
})

test('ip address: loopback and plain IPv6 carry no IPv4 address', () => {
  for (const host of ['::1', '::', 'fe80::1', '2a00:1450::1', '10.0.0.1']) {
    const address = parseIpAddress(host)
    expect(address && embeddedIpv4(address)).toEqual([])
  }
})

test('ip block: membership is agreement of the first bits', () => {
  const block = parseIpBlock('10.20.0.0/14')
  const lies = (host: string) => {
    const address = parseIpAddress(host)
    return block !== null && address !== null && isInBlock(address, block)
  }
  expect(['10.20.0.0', '10.23.255.255'].map(lies)).toEqual([true, true])
  expect(['10.19.255.255', '10.24.0.0', '::ffff:10.20.0.1'].map(lies)).toEqual([false, false, false])
  expect(parseIpBlock('0.0.0.0/0')?.prefixLength).toBe(0)
})

test.each(['10.0.0.0/33', '::/129', '10.0.0.0/', '10.0.0.0/-1', 'name/8', '10.0.0.0/8/8'])(
  'ip block: %s is none',
  (text) => expect(parseIpBlock(text)).toBeNull(),
)

test('ip address: a mapped address is the IPv4 address that the socket uses', () => {
  const mapped = parseIpAddress('::ffff:7f00:1')
  expect(mapped && unmapped(mapped)).toEqual(parseIpAddress('127.0.0.1'))
})
