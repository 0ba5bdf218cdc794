import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningSimulator, startSimulator } from '../../src/http-server/server.ts'

let sim: RunningSimulator
beforeAll(async () => {
  sim = await startSimulator({ preset: 'small', speed: 20, apiKeys: ['right'] })
})
afterAll(() => sim.close())

const CHAT = { model: 'sim/small', messages: [{ role: 'user', content: 'Say something good, please.' }] }

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(sim.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer right', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

/** The JSON of each data line but [DONE]. */
// biome-ignore lint/suspicious/noExplicitAny: the shapes are what is tested
async function events(response: Response): Promise<any[]> {
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'))
  return lines.map((line) => JSON.parse(line.slice(6)))
}

test('chat stream: one role event, one event per token, usage, then [DONE]', async () => {
  const response = await post('/v1/chat/completions', {
    ...CHAT,
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 5,
    ignore_eos: true,
  })
  const text = await response.clone().text()
  const all = await events(response)
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  expect(all[0].choices[0].delta).toEqual({ role: 'assistant', content: '' })
  expect(all.slice(1, 6).every(({ choices }) => choices[0].delta.content.length > 0)).toBe(true)
  expect(all[5].choices[0].finish_reason).toBe('length')
  expect(all[6].choices).toEqual([])
  expect(all[6].usage).toMatchObject({ prompt_tokens: 15, completion_tokens: 5, total_tokens: 20 })
  expect(all).toHaveLength(7)
})

test('completions: prompt arrays times n, each choice with its own text, usage over all', async () => {
  const response = await post('/v1/completions', {
    prompt: ['one two', 'three four five'],
    n: 2,
    max_tokens: 3,
  })
  const body = await response.json()
  expect(body.choices.map(({ index }: { index: number }) => index)).toEqual([0, 1, 2, 3])
  expect(body.usage).toMatchObject({ prompt_tokens: 6, completion_tokens: 12 })
})

test('tokenize: counts exactly what usage.prompt_tokens and completion_tokens count', async () => {
  const answer = await (
    await post('/v1/chat/completions', { ...CHAT, max_tokens: 40, ignore_eos: true })
  ).json()
  const prompt = await (await post('/tokenize', { messages: CHAT.messages })).json()
  const output = await (await post('/tokenize', { prompt: answer.choices[0].message.content })).json()
  expect(prompt.count).toBe(answer.usage.prompt_tokens)
  expect(output.count).toBe(answer.usage.completion_tokens)
})

test('errors: body, model, context and key are refused in the shapes of vLLM', async () => {
  const noJson = await post('/v1/chat/completions', '{')
  expect(noJson.status).toBe(400)
  expect(await noJson.json()).toEqual({
    error: {
      message: 'The request body is not a JSON object.',
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
  })
  expect((await post('/v1/chat/completions', { ...CHAT, model: 'other' })).status).toBe(404)
  expect((await post('/v1/chat/completions', { ...CHAT, max_tokens: 9000 })).status).toBe(400)
  const noKey = await post('/v1/chat/completions', CHAT, { authorization: 'Bearer wrong' })
  expect(noKey.status).toBe(401)
  expect(await noKey.json()).toEqual({ error: 'Unauthorized' })
  expect((await fetch(`${sim.url}/health`)).status).toBe(200)
})

test('stream: an HTTP/1.0 client gets bare events and the end of the connection', async () => {
  const body = JSON.stringify({ prompt: 'a', max_tokens: 2, ignore_eos: true, stream: true })
  const socket = connect({ host: '127.0.0.1', port: sim.port })
  socket.write(
    `POST /v1/completions HTTP/1.0\r\nAuthorization: Bearer right\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  let text = ''
  for await (const bytes of socket) text += bytes
  expect(text).toMatch(/\r\n\r\ndata: \{/)
  expect(text.endsWith('\n\ndata: [DONE]\n\n')).toBe(true)
})

test('stream: pipelined requests are answered in order and in full', async () => {
  const body = JSON.stringify({ prompt: 'a', max_tokens: 3, ignore_eos: true, stream: true })
  const head = `POST /v1/completions HTTP/1.1\r\nHost: sim\r\nAuthorization: Bearer right\r\nContent-Length: ${body.length}\r\n\r\n`
  const socket = connect({ host: '127.0.0.1', port: sim.port })
  socket.write(head + body + head + body)
  let text = ''
  for await (const bytes of socket) {
    text += bytes
    if (text.split('\r\n0\r\n\r\n').length === 3) break
  }
  const ids = [...text.matchAll(/"id":"cmpl-sim-1-(\d+)"/g)].map(([, id]) => Number(id))
  expect(ids).toEqual([...ids].sort((a, b) => a - b))
  expect(new Set(ids).size).toBe(2)
  expect(ids).toHaveLength(6)
})
