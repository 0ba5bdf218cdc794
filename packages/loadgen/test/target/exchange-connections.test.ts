import { describe, expect, test } from 'vitest'
import type { TargetOptions } from '../../src/target/agent.ts'
import { exchange } from '../../src/target/exchange.ts'
import { answer, open, REQUEST, serve } from './exchange-set-up.ts'
import { chunk, delta, done, event, eventHead, lastChunk, type Step } from './scripted-server.ts'

const end = [lastChunk]

describe('exchange: deadlines', () => {
  const rows: [fact: string, steps: Step[], deadlines: TargetOptions['deadlines'], errorCode: string][] = [
    ['no answer', [], { firstByteMs: 150 }, 'first_byte_timeout'],
    [
      'a silence in mid-stream',
      [eventHead, event(delta('a')), { end: 'silence' }],
      { betweenEventsMs: 150 },
      'idle_timeout',
    ],
    [
      'an answer that never ends',
      [eventHead, ...Array.from({ length: 40 }, () => [event(delta('a')), { waitMs: 20 }]).flat()],
      { totalMs: 150 },
      'total_timeout',
    ],
  ]
  test.each(rows)('%s is a timeout', async (_fact, steps, deadlines, errorCode) => {
    const { result } = await answer(() => steps, {}, deadlines === undefined ? {} : { deadlines })
    expect(result).toMatchObject({ outcome: 'timeout', errorCode })
  })

  test('an error event on a connection that stays open is told soon, as the error that it is', async () => {
    const failed = event({ error: { type: 'server_error', message: 'no' } })
    const { result } = await answer(
      () => [eventHead, event(delta('a')), failed],
      {},
      { deadlines: { lingerMs: 100, betweenEventsMs: 20_000 } },
    )
    expect(result).toMatchObject({ outcome: 'in_band_error', errorText: 'no', contentEvents: 1 })
  })

  test('a comment is a sign of life', async () => {
    const comments = Array.from({ length: 12 }, () => [chunk(': ping\n\n'), { waitMs: 30 }]).flat()
    const { result } = await answer(
      () => [eventHead, ...comments, event(delta('a', 'stop')), done, ...end],
      {},
      { deadlines: { betweenEventsMs: 150 } },
    )
    expect(result).toMatchObject({ outcome: 'ok', comments: 12, contentEvents: 1 })
  })
})

describe('exchange: connections', () => {
  const whole = [eventHead, event(delta('a', 'stop')), done, ...end]

  test('one that dies before the first byte is tried again, and counted', async () => {
    const { result, target } = await answer((n) => (n <= 2 ? [{ end: 'fin' }] : whole))
    expect(result).toMatchObject({ outcome: 'ok', retries: 2 })
    expect(target.readings()).toMatchObject({ retries: 2, connectionsOpened: 3 })
  })

  test('retries are bounded', async () => {
    const { result, server } = await answer(() => [{ end: 'reset' }])
    expect(result).toMatchObject({ outcome: 'connection_error', retries: 2 })
    expect(server.requests).toHaveLength(3)
  })

  test('after the first byte nothing is repeated', async () => {
    const { result, server } = await answer(() => [{ write: 'HTTP/1.1 200 OK\r\n' }, { end: 'fin' }])
    expect(result).toMatchObject({ outcome: 'connection_error', errorCode: 'closed_early', retries: 0 })
    expect(server.requests).toHaveLength(1)
  })

  test('a kept-alive connection is used again', async () => {
    const { target, server } = await answer(() => whole)
    for (let i = 0; i < 30; i++) await exchange(target, REQUEST)
    // The connection whose answer has just ended is busy until the event loop turns, so there may be a second one.
    expect(server.connections).toBeLessThanOrEqual(2)
  })

  test('a server that promises keep-alive and closes after each answer costs no request', async () => {
    const head = {
      write:
        'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nKeep-Alive: timeout=5, max=100\r\nTransfer-Encoding: chunked\r\n\r\n',
    }
    const { target } = await answer(() => [head, event(delta('a', 'stop')), done, lastChunk, { end: 'fin' }])
    for (let i = 0; i < 20; i++) expect(await exchange(target, REQUEST)).toMatchObject({ outcome: 'ok' })
  })
})

describe('exchange: cancelling', () => {
  test('a signal ends a request in mid-stream', async () => {
    const server = await serve(() => [eventHead, event(delta('a'))])
    const cancel = new AbortController()
    const result = await exchange(open(server), REQUEST, {
      signal: cancel.signal,
      onContentEvent: () => cancel.abort(),
    })
    expect(result).toMatchObject({ outcome: 'cancelled', contentEvents: 1 })
  })

  test('closing the target ends what is in flight', async () => {
    const server = await serve(() => [])
    const target = open(server)
    const results = [exchange(target, REQUEST), exchange(target, REQUEST)]
    await target.close()
    expect((await Promise.all(results)).map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled'])
  })
})
