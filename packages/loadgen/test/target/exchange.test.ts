import { describe, expect, test } from 'vitest'
import { exchange } from '../../src/target/exchange.ts'
import { answer, open, REQUEST, role, serve, usage } from './exchange-set-up.ts'
import { chunk, delta, done, event, eventHead, lastChunk, plain, type Step } from './scripted-server.ts'

const end = [lastChunk]

describe('exchange: a stream that goes well', () => {
  test('has text, tokens by usage, and instants in order', async () => {
    const { result, server } = await answer(() => [
      eventHead,
      role,
      event(delta('a')),
      event(delta('b', 'length')),
      usage,
      done,
      ...end,
    ])
    expect(result).toMatchObject({
      outcome: 'ok',
      httpStatus: 200,
      errorCode: null,
      text: 'ab',
      contentEvents: 2,
      finishReason: 'length',
      inputTokens: 9,
      outputTokens: 2,
      cachedInputTokens: 3,
      outputTokensSource: 'usage',
      retries: 0,
      sequences: 1,
    })
    const instants = [
      result.sentAtMs,
      result.firstByteAtMs,
      result.firstContentAtMs,
      result.lastContentAtMs,
      result.closedAtMs,
    ].map(Number)
    expect(instants).toEqual([...instants].sort((a, b) => a - b))
    expect(JSON.parse(server.requests[0]?.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      model: 'm',
      max_tokens: 4,
      stream: true,
      stream_options: { include_usage: true },
      ignore_eos: true,
      min_tokens: 4,
    })
  })

  test('a role delta does not stop the clock of TTFT', async () => {
    const { result } = await answer(() => [
      eventHead,
      role,
      { waitMs: 60 },
      event(delta('a', 'stop')),
      done,
      ...end,
    ])
    expect(Number(result.firstContentAtMs) - Number(result.firstByteAtMs)).toBeGreaterThan(50)
  })

  test('a finish reason without [DONE] is ok', async () => {
    const { result } = await answer(() => [eventHead, event(delta('a', 'stop')), ...end])
    expect(result.outcome).toBe('ok')
  })

  test('[DONE] on a connection that never ends: ok, and the slot is free soon', async () => {
    const { result } = await answer(() => [eventHead, event(delta('a', 'stop')), done])
    expect(result.outcome).toBe('ok')
    // 200 ms, seen by a sweep every 100 ms; the rest is what a busy machine adds.
    expect(Number(result.closedAtMs) - Number(result.lastContentAtMs)).toBeGreaterThan(200)
    expect(Number(result.closedAtMs) - Number(result.lastContentAtMs)).toBeLessThan(900)
  })

  test('a finish reason and then silence: ok after the linger time', async () => {
    const deadlines = { lingerMs: 100, betweenEventsMs: 20_000 }
    const { result } = await answer(() => [eventHead, event(delta('a', 'stop'))], {}, { deadlines })
    expect(result).toMatchObject({ outcome: 'ok', finishReason: 'stop' })
  })
})

describe('exchange: how a request fails', () => {
  const rows: [fact: string, steps: Step[], outcome: string, errorCode: string][] = [
    [
      'a stream that ends early is truncated',
      [eventHead, event(delta('a')), ...end],
      'truncated',
      'ended_early',
    ],
    [
      'a FIN in mid-stream is truncated',
      [eventHead, event(delta('a')), { end: 'fin' }],
      'truncated',
      'closed_early',
    ],
    [
      'an error event is an in-band error',
      [eventHead, event(delta('a')), event({ error: { type: 'server_error', message: 'no' } }), ...end],
      'in_band_error',
      'server_error',
    ],
    [
      'an error line is an in-band error, whatever [DONE] says',
      [
        eventHead,
        chunk('error: {"code":400,"type":"invalid_request_error","message":"no"}\n\n'),
        done,
        ...end,
      ],
      'in_band_error',
      'invalid_request_error',
    ],
    [
      'a stream without a token is empty',
      [eventHead, role, event(delta('', 'stop')), done, ...end],
      'empty',
      'no_tokens',
    ],
    [
      'an event that is not JSON is an in-band error',
      [eventHead, chunk('data: {"choices":\n\n'), done, ...end],
      'in_band_error',
      'malformed_event',
    ],
    [
      'an error body with status 200 is an in-band error',
      plain(200, 'application/json', '{"error":"overloaded","error_type":"Overloaded"}'),
      'in_band_error',
      'overloaded',
    ],
    [
      'HTML instead of JSON is an in-band error',
      plain(200, 'text/html', '<html>hi</html>'),
      'in_band_error',
      'not_json',
    ],
    [
      'JSON that is no completion is an in-band error',
      plain(200, 'application/json', '{"ok":true}'),
      'in_band_error',
      'not_a_completion',
    ],
    [
      'a redirect is not followed',
      plain(307, 'text/plain', '', 'Location: http://127.0.0.1:1/\r\n'),
      'http_error',
      'redirect_not_followed',
    ],
    [
      '401 is unauthorized',
      plain(401, 'application/json', '{"error":{"message":"bad key"}}'),
      'http_error',
      'unauthorized',
    ],
    [
      '429 is rate limited',
      plain(429, 'application/json', '{"error":{"message":"slow down"}}'),
      'http_error',
      'rate_limited',
    ],
    [
      'what does not speak HTTP is a connection error',
      [{ write: 'SSH-2.0-OpenSSH_9.6\r\n' }],
      'connection_error',
      'not_http',
    ],
  ]
  test.each(rows)('%s', async (_fact, steps, outcome, errorCode) => {
    const { result } = await answer(() => steps)
    expect({ outcome: result.outcome, errorCode: result.errorCode }).toEqual({ outcome, errorCode })
    expect(result.retries).toBe(0)
  })

  test('nobody listens: connection refused, at once and without a retry', async () => {
    const server = await serve(() => [])
    await server.close()
    const result = await exchange(open(server), REQUEST)
    expect(result).toMatchObject({
      outcome: 'connection_error',
      errorCode: 'connection_refused',
      retries: 0,
      sentAtMs: null,
    })
  })

  test('the server repeats the key: it is not kept', async () => {
    const { result } = await answer(
      () => plain(401, 'application/json', '{"error":{"message":"key sk-123 is wrong"}}'),
      {},
      { apiKey: 'sk-123' },
    )
    expect(result.errorText).toBe('key [key] is wrong')
  })
})
