import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chatText } from '../../src/wire/chat.ts'
import { completionsText } from '../../src/wire/completions.ts'
import { Observation, type ObserveOptions } from '../../src/wire/observe.ts'
import { ResponseReader } from '../../src/wire/response-reader.ts'

const OPTIONS: ObserveOptions = {
  textOf: chatText,
  expectJson: false,
  keepText: true,
  onContentEvent: () => {},
}

/** Events received at 1, 2, 3 ... ms. */
function observe(events: readonly (object | string)[], options: Partial<ObserveOptions> = {}) {
  const observation = new Observation({ ...OPTIONS, ...options })
  for (const [index, event] of events.entries()) {
    observation.atMs = index + 1
    observation.onEvent(typeof event === 'string' ? event : JSON.stringify(event), 'message')
  }
  return observation
}

const delta = (content: object, index = 0, finish: string | null = null) => ({
  choices: [{ index, delta: content, finish_reason: finish }],
})

describe('observe: what is content', () => {
  const rows: [fact: string, event: object | string, visible: string, reasoning: string][] = [
    ['content', delta({ content: 'a' }), 'a', ''],
    ['a role only', delta({ role: 'assistant', content: null }), '', ''],
    ['empty content', delta({ content: '' }), '', ''],
    ['reasoning_content', delta({ reasoning_content: 'r' }), '', 'r'],
    ['reasoning', delta({ reasoning: 'r' }), '', 'r'],
    ['a refusal', delta({ refusal: 'no' }), 'no', ''],
    [
      'arguments of a tool call',
      delta({ tool_calls: [{ index: 0, function: { arguments: '{"a"' } }] }),
      '{"a"',
      '',
    ],
    [
      'the name of a tool',
      delta({ tool_calls: [{ index: 0, id: 'x', function: { name: 'f', arguments: '' } }] }),
      'f',
      '',
    ],
    ['a tool call without text', delta({ tool_calls: [{ index: 0, id: 'x' }] }), '', ''],
    ['a function call of old', delta({ function_call: { arguments: '{' } }), '{', ''],
    [
      'content in parts',
      delta({
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      }),
      'ab',
      '',
    ],
    ['usage only', { choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } }, '', ''],
    ['progress', { ...delta({ role: 'assistant', content: null }), prompt_progress: { total: 5 } }, '', ''],
    ['null', 'null', '', ''],
    ['a number', '3', '', ''],
    ['an empty event', '', '', ''],
    ['choices that are no list', { choices: 'none' }, '', ''],
    ['a choice that is null', { choices: [null] }, '', ''],
  ]
  test.each(rows)('%s', (_fact, event, visible, reasoning) => {
    const observation = observe([event])
    expect({ visible: observation.text, reasoning: observation.reasoningText }).toEqual({
      visible,
      reasoning,
    })
    const isContent = visible !== '' || reasoning !== ''
    expect(observation.contentEvents).toBe(isContent ? 1 : 0)
    expect(observation.firstContentAtMs).toBe(isContent ? 1 : null)
    expect(observation.error).toBeNull()
  })

  test('completions: text', () => {
    const observation = observe(
      [{ choices: [{ index: 0, text: 'a' }] }, { choices: [{ index: 0, text: '', finish_reason: 'stop' }] }],
      { textOf: completionsText },
    )
    expect(observation).toMatchObject({ text: 'a', contentEvents: 1 })
  })

  test('first, first visible and last content have their own instants', () => {
    const observation = observe([
      delta({ role: 'assistant' }),
      delta({ reasoning: 'r' }),
      delta({ content: 'a' }),
      delta({ content: 'b' }),
      delta({}, 0, 'stop'),
    ])
    expect(observation).toMatchObject({
      firstContentAtMs: 2,
      firstVisibleAtMs: 3,
      lastContentAtMs: 4,
      contentEvents: 3,
    })
  })
})

describe('observe: how it ends', () => {
  test('[DONE] is the exact word, not a text that holds it', () => {
    expect(observe([delta({ content: '[DONE]' })]).done).toBe(false)
    expect(observe(['[DONE]']).done).toBe(true)
    expect(observe([' [DONE]']).done).toBe(true)
  })

  const errors: [fact: string, event: object | string, code: string][] = [
    ['an error object', { error: { code: 500, message: 'm', type: 'server_error' } }, 'server_error'],
    ['an error without a type', { error: { code: 500, message: 'm' } }, 'code_500'],
    ['an error text', { error: 'm', error_type: 'generation' }, 'generation'],
    [
      'an object that is an error',
      { object: 'error', message: 'm', type: 'BadRequestError' },
      'badrequesterror',
    ],
    ['JSON that is cut', '{"choices":[', 'malformed_event'],
    ['a request that was given up', delta({}, 0, 'abort'), 'finish_abort'],
  ]
  test.each(errors)('%s', (_fact, event, code) => {
    expect(observe([delta({ content: 'a' }), event, '[DONE]']).error?.code).toBe(code)
  })

  test('an event of type error is one', () => {
    const observation = new Observation(OPTIONS)
    observation.onEvent('{"message":"m","type":"overloaded"}', 'error')
    expect(observation.error).toEqual({ code: 'overloaded', text: 'm' })
  })

  test('error: null is none', () => {
    expect(observe([{ ...delta({ content: 'a' }), error: null }]).error).toBeNull()
  })
})

describe('response reader', () => {
  const body = [
    'data: {"choices":[{"index":0,"delta":{"content":"é漢🎉"}}]}\n\n',
    ': ping\n\n',
    'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
    'data: [DONE]\n\n',
  ].join('')

  async function readBody(
    chunks: readonly Buffer[],
    contentType: string,
    encoding = '',
  ): Promise<ResponseReader> {
    return new Promise((resolve) => {
      const reader: ResponseReader = new ResponseReader(OPTIONS, () => resolve(reader))
      reader.start(contentType, encoding)
      for (const [index, chunk] of chunks.entries()) reader.read(chunk, index + 1)
      reader.end()
    })
  }
  const seen = ({ kind, observation }: ResponseReader) => ({
    kind,
    text: observation.text,
    done: observation.done,
    comments: observation.comments,
    finish: [...observation.finishReasons.values()],
  })
  const whole = { kind: 'events', text: 'é漢🎉', done: true, comments: 1, finish: ['stop'] }

  test('gzip: any slicing gives the same observation, and content has the instant of its chunk', async () => {
    const packed = gzipSync(body)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(packed.length), { maxLength: 8 }), async (cuts) => {
        const at = [...new Set(cuts)].sort((a, b) => a - b)
        const chunks = [0, ...at].map((start, i) => packed.subarray(start, at[i] ?? packed.length))
        const reader = await readBody(chunks, 'text/event-stream', 'gzip')
        expect(seen(reader)).toEqual(whole)
        expect(reader.observation.firstContentAtMs).toBeLessThanOrEqual(chunks.length)
      }),
      { numRuns: 50, seed: 9 },
    )
  })

  test('gzip that is cut gives what came before the cut', async () => {
    const packed = gzipSync(body)
    const reader = await readBody([packed.subarray(0, packed.length - 12)], 'text/event-stream', 'gzip')
    expect(reader.observation.done).toBe(false)
  })

  const kinds: [fact: string, contentType: string, text: string, kind: string][] = [
    ['events under another name', 'text/plain', body, 'events'],
    ['events that open with a comment', '', ': hello\n\n', 'events'],
    ['events that open with a byte order mark', '', '\uFEFFdata: x\n\n', 'events'],
    ['a JSON body', 'application/json; charset=utf-8', '{"choices":[]}', 'json'],
    ['a JSON body under another name', 'text/plain', ' {"choices":[]}', 'json'],
    ['a problem document', 'application/problem+json', '{"title":"x"}', 'json'],
    ['JSON that is none', 'application/json', '<html>', 'other'],
    ['a web page', 'text/html', '<!doctype html>', 'other'],
    ['nothing', 'text/event-stream', '', 'none'],
  ]
  test.each(kinds)('%s', async (_fact, contentType, text, kind) => {
    expect((await readBody([Buffer.from(text)], contentType)).kind).toBe(kind)
  })

  test('an encoding that is not known is no text', async () => {
    expect((await readBody([Buffer.from(body)], 'text/event-stream', 'zstd')).kind).toBe('other')
  })
})
