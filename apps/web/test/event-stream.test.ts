import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { followEvents, type ServerEvent } from '../src/api/event-stream.ts'

let answer: (response: ServerResponse, lastEventId: string | undefined) => void = () => {}
const server = createServer((request, response) =>
  answer(response, request.headers['last-event-id'] as string | undefined),
)
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  vi.stubGlobal('sessionStorage', { getItem: () => 'a-key' })
})
afterAll(() => {
  vi.unstubAllGlobals()
  server.close()
})

async function follow() {
  const events: ServerEvent[] = []
  const connection: string[] = []
  const path = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`
  const onEvent = (event: ServerEvent) => void events.push(event)
  const onConnection = (state: string) => void connection.push(state)
  await followEvents({ path, onEvent, onConnection, signal: new AbortController().signal, retryMs: 5 })
  return { events, connection }
}

const block = (id: number, type: string) => `id: ${id}\nevent: ${type}\ndata: {"n":${id}}\n\n`

test('event stream: a cut in the middle of an event loses none and repeats none', async () => {
  const asked: (string | undefined)[] = []
  answer = (response, lastEventId) => {
    asked.push(lastEventId)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (lastEventId === undefined) {
      response.write(`: hello\n\n${block(1, 'run-waiting')}${block(2, 'run-started').slice(0, 9)}`)
      setImmediate(() => response.destroy())
    } else {
      response.end(`${block(2, 'run-started')}${block(3, 'run-finished')}event: end\ndata: null\n\n`)
    }
  }
  const { events, connection } = await follow()
  expect(events.map(({ id, type, data }) => [id, type, data])).toEqual([
    ['1', 'run-waiting', { n: 1 }],
    ['2', 'run-started', { n: 2 }],
    ['3', 'run-finished', { n: 3 }],
  ])
  expect(asked).toEqual([undefined, '1'])
  expect(connection).toEqual(['live', 'lost', 'live'])
})

test('event stream: a refusal is thrown and not asked again', async () => {
  let times = 0
  answer = (response) => {
    times++
    response.writeHead(404, { 'content-type': 'application/problem+json' })
    response.end(JSON.stringify({ code: 'run-not-found', detail: 'There is no run 7.' }))
  }
  await expect(follow()).rejects.toMatchObject({ code: 'run-not-found', message: 'There is no run 7.' })
  expect(times).toBe(1)
})
