import {
  judgeTargetAddress,
  judgeTargetUrl,
  parseTargetPolicy,
  parseTargetUrl,
} from '@loadcurve/core/plan/target-policy'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const own = [
  { host: '127.0.0.1', port: 4400 },
  { host: 'db.internal', port: 5432 },
]
const defaults = parseTargetPolicy('', own)
const open = parseTargetPolicy('*, loopback', own)
const listed = parseTargetPolicy('gpu.example, *.cluster.local 10.0.0.0/8 fd00:1::/32', own)

test.each([
  'http://127.0.0.1:8000/v1',
  'http://127.8.9.1:8000',
  'http://localhost:8000/v1',
  'https://LOCALHOST:8443/v1?x=1#y',
  'http://[::1]:8000/v1',
  'http://[::ffff:127.0.0.1]:8000/v1',
  'http://2130706433:8000/v1',
])('target policy: loopback is allowed by default: %s', (url) =>
  expect(judgeTargetUrl(url, defaults)).toBeNull(),
)

// Nothing of this passes, not even where every host and loopback are allowed.
const refusedAlways = [
  ['http://169.254.169.254/latest/meta-data', 'target-metadata'],
  ['http://2852039166/', 'target-metadata'],
  ['http://0xa9fea9fe/', 'target-metadata'],
  ['http://0xa9.0xfe.0xa9.0xfe/', 'target-metadata'],
  ['http://0251.0376.0251.0376/', 'target-metadata'],
  ['http://169.254.43518/', 'target-metadata'],
  ['http://169.16689662/', 'target-metadata'],
  ['http://169.254.169.254./', 'target-metadata'],
  ['http://[::ffff:169.254.169.254]/', 'target-metadata'],
  ['http://[::ffff:a9fe:a9fe]/', 'target-metadata'],
  ['http://[::169.254.169.254]/', 'target-metadata'],
  ['http://[64:ff9b::a9fe:a9fe]/', 'target-metadata'],
  ['http://[2002:a9fe:a9fe::]/', 'target-metadata'],
  ['http://[fd00:ec2::254]/', 'target-metadata'],
  ['http://100.100.100.200/', 'target-metadata'],
  ['http://168.63.129.16/', 'target-metadata'],
  ['http://metadata.google.internal/', 'target-metadata'],
  ['http://Metadata.Google.Internal./', 'target-metadata'],
  ['http://169.254.1.2:8000/', 'target-link-local'],
  ['http://[fe80::1]:8000/', 'target-link-local'],
  ['http://0.0.0.0:8000/', 'target-not-a-host'],
  ['http://0:8000/', 'target-not-a-host'],
  ['http://[::]:8000/', 'target-not-a-host'],
  ['http://224.0.0.1/', 'target-not-a-host'],
  ['http://255.255.255.255/', 'target-not-a-host'],
  ['http://127.0.0.1:4400/v1', 'target-own-port'],
  ['http://127.1:4400/v1', 'target-own-port'],
  ['http://localhost:4400/v1', 'target-own-port'],
  ['http://[::1]:4400/v1', 'target-own-port'],
  ['http://[::ffff:7f00:1]:5432/v1', 'target-own-port'],
  ['http://db.internal:5432/', 'target-own-port'],
  ['http://DB.internal.:5432/', 'target-own-port'],
  ['http://user:secret@127.0.0.1:8000/', 'url-userinfo-refused'],
  ['http://127.0.0.1:8000@169.254.169.254/', 'url-userinfo-refused'],
  ['ftp://127.0.0.1/', 'url-scheme-refused'],
  ['file:///etc/passwd', 'url-scheme-refused'],
  ['unix:/run/docker.sock', 'url-scheme-refused'],
  ['gopher://127.0.0.1:6379/', 'url-scheme-refused'],
  ['//127.0.0.1/v1', 'url-malformed'],
  ['127.0.0.1:8000', 'url-malformed'],
  ['http:/127.0.0.1/', 'url-malformed'],
  ['http:\\\\169.254.169.254/', 'url-malformed'],
  ['http://127.0.0.1\\@169.254.169.254/', 'url-malformed'],
  ['http://169.254.169%2E254/', 'url-malformed'],
  ['http://169。254。169。254/', 'url-malformed'],
  ['http://①⑥⑨.254.169.254/', 'url-malformed'],
  ['http://127.0.0.1\t:8000/', 'url-malformed'],
  ['http://127.0.0.1:99999/', 'url-malformed'],
  ['http://127.0.0.1:0/', 'url-malformed'],
  ['http://256.0.0.1/', 'url-malformed'],
  ['http://1.2.3.4.5/', 'url-malformed'],
  ['http://[::1/', 'url-malformed'],
  ['http://[fe80::1%25eth0]/', 'url-malformed'],
  ['http:///v1', 'url-malformed'],
  ['', 'url-malformed'],
] as const

test.each(refusedAlways)('target policy: %s is refused always', (url, code) => {
  for (const policy of [defaults, open, listed]) expect(judgeTargetUrl(url, policy)).toMatchObject({ code })
})

test('target policy: only what is listed is allowed, and a list replaces loopback', () => {
  const verdict = (url: string) => judgeTargetUrl(url, listed)?.code ?? 'allowed'
  expect(
    ['http://gpu.example/v1', 'http://a.cluster.local', 'http://10.255.0.1', 'http://[fd00:1::9]'].map(
      verdict,
    ),
  ).toEqual(['allowed', 'allowed', 'allowed', 'allowed'])
  const others = [
    'http://gpu.example.evil',
    'http://cluster.local',
    'http://11.0.0.1',
    'http://127.0.0.1',
    'http://localhost',
  ]
  expect(others.map(verdict)).toEqual(others.map(() => 'target-not-allowed'))
  expect(judgeTargetUrl('http://gpu.example/v1', defaults)?.code).toBe('target-not-allowed')
  expect(judgeTargetUrl('http://93.184.216.34/', open)).toBeNull()
})

test('target policy: a name is judged again by the addresses that it leads to', () => {
  const verdict = (host: string, address: string, policy = listed) =>
    judgeTargetAddress({ host, address, port: 8000 }, policy)?.code ?? 'allowed'
  expect(verdict('gpu.example', '203.0.113.5')).toBe('allowed')
  expect(verdict('gpu.example', '169.254.169.254')).toBe('target-metadata')
  expect(verdict('gpu.example', '::ffff:169.254.169.254')).toBe('target-metadata')
  expect(verdict('gpu.example', '127.0.0.1')).toBe('target-not-allowed')
  expect(verdict('gpu.example', '::ffff:127.0.0.1')).toBe('target-not-allowed')
  expect(verdict('gpu.example', '64:ff9b::7f00:1')).toBe('target-not-allowed')
  expect(verdict('gpu.example', '0.0.0.0')).toBe('target-not-a-host')
  expect(verdict('other.example', '203.0.113.5')).toBe('target-not-allowed')
  expect(verdict('localhost', '::1', defaults)).toBe('allowed')
  expect(verdict('localhost', '203.0.113.5', defaults)).toBe('target-not-allowed')
  expect(verdict('rebind.example', '127.0.0.1', defaults)).toBe('allowed')
  expect(judgeTargetAddress({ host: 'gpu.example', address: 'not an address', port: 1 }, open)?.code).toBe(
    'target-not-allowed',
  )
})

test('target policy: our own endpoint is refused by the address that it resolves to', () => {
  const policy = parseTargetPolicy('10.0.0.0/8', [{ host: '10.0.0.5', port: 6379 }])
  expect(judgeTargetAddress({ host: 'x', address: '10.0.0.5', port: 6379 }, policy)?.code).toBe(
    'target-own-port',
  )
  expect(judgeTargetAddress({ host: 'x', address: '10.0.0.6', port: 6379 }, policy)).toBeNull()
})

test('target policy: whatever passes is read by the platform as the same host and port', () => {
  const piece = fc.constantFrom(
    'http://',
    '127.0.0.1',
    'localhost',
    ':8000',
    '@',
    '/',
    '\\',
    '?',
    '#',
    '%2e',
    '[::1]',
    '.',
    ' ',
    'é',
    '0x7f.1',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 7 }), (pieces) => {
      const url = `http://${pieces.join('')}`
      const parts = parseTargetUrl(url)
      if (judgeTargetUrl(url, open) !== null || 'code' in parts) return
      const platform = new URL(url)
      const host = platform.hostname.replace(/^\[|\]$|\.$/g, '')
      expect(
        judgeTargetUrl(`http://${parts.host.includes(':') ? `[${parts.host}]` : parts.host}`, open),
      ).toEqual(judgeTargetUrl(`http://${host.includes(':') ? `[${host}]` : host}`, open))
      expect(parts.port).toBe(platform.port === '' ? 80 : Number(platform.port))
    }),
    { numRuns: 5_000 },
  )
})

test.each(['10.0.0.0/99', 'http://x', '1.2.3', 'a b!', '256.1.1.1'])(
  'target policy: the list entry %s is quoted back',
  (entry) => {
    if (entry === '1.2.3') expect(parseTargetPolicy(entry).blocks).toHaveLength(1)
    else expect(() => parseTargetPolicy(entry)).toThrow('not a host, pattern or address block')
  },
)

test('target policy: each refusal says what to do', () => {
  for (const [url] of refusedAlways) expect(judgeTargetUrl(url, open)?.whatToDo).toMatch(/^[A-Z]/)
})

test('target policy: no refusal repeats a password', () => {
  const urls = [
    'http://u:hunter2@127.0.0.1/',
    'http://u:hunter2@[::1/',
    'http://u:hünter2@x/',
    'u:hunter2@x',
    'ftp://u:hunter2@x/',
    'http:u:hunter2@x',
  ]
  for (const url of urls) {
    const refusal = judgeTargetUrl(url, open)
    expect(refusal).not.toBeNull()
    expect(JSON.stringify(refusal)).not.toMatch(/h.nter2/)
  }
})
