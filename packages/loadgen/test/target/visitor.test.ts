import { parseTargetPolicy } from '@loadcurve/core/plan/target-policy'
import { afterEach, expect, test } from 'vitest'
import { redacted } from '../../src/target/redact.ts'
import { openVisitor, type Visitor } from '../../src/target/visitor.ts'
import { serve } from './exchange-set-up.ts'
import { plain } from './scripted-server.ts'

const visitors: Visitor[] = []
afterEach(async () => {
  for (const visitor of visitors.splice(0)) await visitor.close()
})

function visitorOf(baseUrl: string): Visitor {
  const visitor = openVisitor({
    policy: parseTargetPolicy(''),
    baseUrl,
    apiKey: 'sk-planted',
    headers: { 'x-team': 'blue' },
  })
  visitors.push(visitor)
  return visitor
}

test('visitor: the key and the headers of the plan go to the origin of the target, and to no other', async () => {
  const target = await serve(() => plain(200, 'application/json', '{}'))
  const other = await serve(() => plain(200, 'text/plain', 'x 1'))
  const visitor = visitorOf(target.baseUrl)
  await visitor.visit({ url: `${target.baseUrl}/models`, timeoutMs: 1000 })
  await visitor.visit({ url: `${other.baseUrl}/metrics`, timeoutMs: 1000 })
  expect(target.requests[0]).toMatch(
    /^GET \/v1\/models HTTP\/1\.1\r\n[\s\S]*authorization: Bearer sk-planted\r\n[\s\S]*x-team: blue/,
  )
  expect(other.requests[0]).toMatch(/^GET \/v1\/metrics HTTP\/1\.1\r\n/)
  expect(other.requests[0]).not.toMatch(/sk-planted|x-team/)
})

test('visitor: JSON is posted, and the answer is text with its status', async () => {
  const server = await serve(() => plain(418, 'text/plain', 'teapot', 'Server: kettle\r\n'))
  const answer = await visitorOf(server.baseUrl).visit({
    url: `${server.baseUrl}/tokenize`,
    json: { prompt: 'a' },
    timeoutMs: 1000,
  })
  expect(answer).toEqual({
    ok: true,
    status: 418,
    contentType: 'text/plain',
    server: 'kettle',
    text: 'teapot',
  })
  expect(server.requests[0]).toMatch(/^POST [\s\S]*content-type: application\/json[\s\S]*\{"prompt":"a"\}$/)
})

test('visitor: a redirect is an answer, and is not followed', async () => {
  const elsewhere = await serve(() => plain(200, 'text/plain', 'here'))
  const server = await serve(() => plain(302, 'text/plain', '', `Location: ${elsewhere.baseUrl}\r\n`))
  const answer = await visitorOf(server.baseUrl).visit({ url: server.baseUrl, timeoutMs: 1000 })
  expect(answer).toMatchObject({ ok: true, status: 302 })
  expect(elsewhere.connections).toBe(0)
})

test('visitor: three megabytes arrive as they were sent', async () => {
  const body = Array.from({ length: 100_000 }, (_, i) => `metric_${i}{label="value"} ${i}`).join('\n')
  const server = await serve(() => plain(200, 'text/plain', body))
  const answer = await visitorOf(server.baseUrl).visit({ url: server.baseUrl, timeoutMs: 10_000 })
  expect(answer.ok && answer.text === body).toBe(true)
})

test('visitor: a body that never ends is cut at eight megabytes', async () => {
  const megabyte = 'x'.repeat(1024 * 1024)
  const server = await serve(() => [
    { write: 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 999999999\r\n\r\n' },
    ...Array.from({ length: 12 }, () => ({ write: megabyte })),
  ])
  const answer = await visitorOf(server.baseUrl).visit({ url: server.baseUrl, timeoutMs: 10_000 })
  expect(answer.ok && answer.text.length).toBeGreaterThan(8 * 1024 * 1024)
  expect(answer.ok && answer.text.length).toBeLessThan(10 * 1024 * 1024)
})

test('visitor: silence before and within an answer ends at the deadline', async () => {
  const server = await serve((n) =>
    n === 1 ? [] : [{ write: 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf' }],
  )
  const visitor = visitorOf(server.baseUrl)
  for (let i = 0; i < 2; i++) {
    expect(await visitor.visit({ url: server.baseUrl, timeoutMs: 100 })).toMatchObject({
      ok: false,
      code: 'timeout',
    })
  }
})

test('visitor: the asker may cancel', async () => {
  const server = await serve(() => [])
  const cancel = new AbortController()
  const answer = visitorOf(server.baseUrl).visit({
    url: server.baseUrl,
    timeoutMs: 10_000,
    signal: cancel.signal,
  })
  cancel.abort()
  expect(await answer).toMatchObject({ ok: false, code: 'cancelled' })
})

const rows: [text: string | null, apiKey: string | null, shown: string | null][] = [
  [null, 'k', null],
  ['Incorrect key sk-planted.', 'sk-planted', 'Incorrect key [key].'],
  ['sent Authorization: Bearer abc.def-1', null, 'sent Authorization: Bearer [key]'],
  [' two\n lines ', null, 'two lines'],
  ['x'.repeat(300), null, 'x'.repeat(200)],
]
test.each(rows)('redacted: %j with key %j', (text, apiKey, shown) => {
  expect(redacted(text, apiKey)).toBe(shown)
})
