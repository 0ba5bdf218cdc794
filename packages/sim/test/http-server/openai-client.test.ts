import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningSimulator, startSimulator } from '../../src/http-server/server.ts'

let sim: RunningSimulator
let client: OpenAI
beforeAll(async () => {
  sim = await startSimulator({ preset: 'small', speed: 20, apiKeys: ['right'] })
  client = new OpenAI({ baseURL: `${sim.url}/v1`, apiKey: 'right', maxRetries: 0 })
})
afterAll(() => sim.close())

const MESSAGES = [{ role: 'user' as const, content: 'Say something good, please.' }]

test('openai client: streams a chat with usage', async () => {
  const stream = await client.chat.completions.create({
    model: 'sim/small',
    messages: MESSAGES,
    max_completion_tokens: 12,
    // vLLM's extension, which the client passes through.
    ...{ ignore_eos: true },
    stream: true,
    stream_options: { include_usage: true },
  })
  const words: string[] = []
  let usage: OpenAI.CompletionUsage | null = null
  let finish: string | null = null
  for await (const chunk of stream) {
    const choice = chunk.choices[0]
    if (choice?.delta.content) words.push(choice.delta.content)
    finish = choice?.finish_reason ?? finish
    usage = chunk.usage ?? usage
  }
  expect(words).toHaveLength(12)
  expect(finish).toBe('length')
  expect(usage).toMatchObject({ prompt_tokens: 15, completion_tokens: 12, total_tokens: 27 })
})

test('openai client: gathers tool calls and JSON objects from deltas', async () => {
  const tools = [{ type: 'function' as const, function: { name: 'look_up', parameters: {} } }]
  const runner = client.chat.completions.stream({
    model: 'sim/small',
    messages: MESSAGES,
    tools,
    max_tokens: 20,
  })
  const call = (await runner.finalChatCompletion()).choices[0]?.message.tool_calls?.[0]
  expect(call?.type === 'function' && call.function.name).toBe('look_up')
  expect(JSON.parse(call?.type === 'function' ? call.function.arguments : '')).toHaveProperty('text')
  const json = await client.chat.completions.create({
    model: 'sim/small',
    messages: MESSAGES,
    max_tokens: 20,
    response_format: { type: 'json_object' },
  })
  expect(JSON.parse(json.choices[0]?.message.content ?? '')).toHaveProperty('text')
})

test('openai client: completions stream, models are listed, errors keep their status', async () => {
  const stream = await client.completions.create({
    model: 'sim/small',
    prompt: ['a', 'b'],
    max_tokens: 3,
    stream: true,
  })
  const texts = ['', '']
  for await (const { choices } of stream) for (const { index, text } of choices) texts[index] += text
  for (const text of texts) expect(text.trim().split(' ').length).toBeLessThanOrEqual(3)
  expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['sim/small'])
  const wrong = new OpenAI({ baseURL: `${sim.url}/v1`, apiKey: 'wrong', maxRetries: 0 })
  await expect(wrong.models.list()).rejects.toMatchObject({ status: 401 })
  const unknown = client.chat.completions.create({ model: 'other', messages: MESSAGES })
  await expect(unknown).rejects.toMatchObject({ status: 404 })
})

test('openai client: an in-band error ends the stream with an exception', async () => {
  const stream = await client.chat.completions.create(
    { model: 'sim/small', messages: MESSAGES, max_tokens: 12, stream: true, ...{ ignore_eos: true } },
    { headers: { 'x-sim-fault': 'error-event;after=2' } },
  )
  let words = 0
  const read = async () => {
    for await (const { choices } of stream) if (choices[0]?.delta.content) words++
  }
  await expect(read()).rejects.toThrow('The engine stopped while generating.')
  expect(words).toBe(2)
})
