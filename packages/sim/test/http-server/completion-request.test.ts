import { expect, test } from 'vitest'
import { readCompletionRequest } from '../../src/http-server/completion-request.ts'

const chat = (body: object) => readCompletionRequest('chat', JSON.stringify(body), 16)
const completions = (body: object) => readCompletionRequest('completions', JSON.stringify(body), 16)
const messages = [{ role: 'user', content: 'Hi.' }]

test('request: what vLLM refuses is refused, with the parameter', () => {
  expect(chat({})).toMatchObject({ status: 400, param: 'messages' })
  expect(chat({ messages: [{ role: 'user', content: 5 }] })).toMatchObject({ status: 400, param: 'messages' })
  expect(chat({ messages, max_tokens: -1 })).toMatchObject({ status: 400, param: 'max_tokens' })
  expect(chat({ messages, max_tokens: 'many' })).toMatchObject({ status: 400, param: 'max_tokens' })
  expect(chat({ messages, max_tokens: 0 })).toMatchObject({ status: 400, param: 'max_tokens' })
  expect(chat({ messages, n: 0 })).toMatchObject({ status: 400, param: 'n' })
  expect(completions({ prompt: ['a', 5] })).toMatchObject({ status: 400, param: 'prompt' })
  expect(completions({ prompt: Array(100).fill('a'), n: 2 })).toMatchObject({ status: 400, param: 'n' })
})

test('request: prompts may be text, texts, ids or lists of ids', () => {
  const counts = (prompt: unknown) => {
    const request = completions({ prompt })
    return 'status' in request ? request : request.prompts.map(({ tokens }) => tokens)
  }
  expect(counts('one two')).toEqual([2])
  expect(counts(['one', 'two three'])).toEqual([1, 3])
  expect(counts([1, 2, 3])).toEqual([3])
  expect(counts([[1, 2], [3]])).toEqual([2, 1])
})

test('request: options, parts of messages, tools and formats are read', () => {
  const request = chat({
    messages: [{ role: 'user', content: [{ type: 'text', text: 'one two' }, { type: 'image_url' }] }],
    max_completion_tokens: 7,
    max_tokens: 9,
    stream: true,
    stream_options: { include_usage: true, continuous_usage_stats: true },
    stop: 'x',
    tools: [{ type: 'function', function: { name: 'first' } }],
    tool_choice: { type: 'function', function: { name: 'second' } },
  })
  expect(request).toMatchObject({
    maxTokens: 7,
    stream: true,
    includeUsage: true,
    continuousUsage: true,
    stop: ['x'],
    shape: 'tool',
    toolName: 'second',
  })
  expect('status' in request ? null : request.prompts[0]?.tokens).toBe(4 + 2 + 3)
  expect(chat({ messages, response_format: { type: 'json_schema' } })).toMatchObject({ shape: 'json' })
  expect(completions({ prompt: 'a' })).toMatchObject({ maxTokens: 16, shape: 'text' })
})
