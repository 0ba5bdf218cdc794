import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exchange } from '../../src/target/exchange.ts'
import { chatText } from '../../src/wire/chat.ts'
import { EventStream } from '../../src/wire/event-stream.ts'
import { Observation } from '../../src/wire/observe.ts'
import { open, REQUEST, serve } from './exchange-set-up.ts'
import { type Capture, readCapture } from './reference-reader.ts'
import type { Step } from './scripted-server.ts'

const VERSIONS = ['b10309', 'b4748'] as const
const captures = Object.fromEntries(VERSIONS.map((version) => [version, load(version)])) as Record<
  (typeof VERSIONS)[number],
  Capture[]
>

function load(version: string): Capture[] {
  const text = readFileSync(new URL(`../fixtures/llamacpp-${version}.jsonl`, import.meta.url), 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** Each recorded read becomes a write of its own; a short pause keeps most of the boundaries. */
function replay(capture: Capture): Step[] {
  const writes = capture.reads.flatMap(([, latin1]): Step[] => [
    { write: Buffer.from(latin1, 'latin1') },
    { waitMs: 0 },
  ])
  return [...writes, { end: capture.end === 'server_fin' ? 'fin' : 'silence' }]
}

async function exchanged(capture: Capture) {
  const server = await serve(() => replay(capture))
  const target = open(server, { endpoint: capture.endpoint, deadlines: { betweenEventsMs: 400 } })
  const prompt =
    capture.endpoint === 'chat' ? REQUEST.prompt : ({ kind: 'texts', texts: ['the world'] } as const)
  return exchange(target, {
    ...REQUEST,
    prompt,
    n: capture.n,
    outputTokens: capture.maxTokens,
    stream: capture.stream,
  })
}

describe.each(VERSIONS)('captures of llama.cpp %s: replayed over a socket', (version) => {
  test.each(captures[version].map((capture) => [capture.name, capture] as const))(
    '%s',
    async (_name, capture) => {
      const { firstContentRead, ...reference } = readCapture(capture)
      const result = await exchanged(capture)
      expect(result).toMatchObject(reference)
      expect(result.retries).toBe(0)
      expect(result.firstContentAtMs === null).toBe(firstContentRead === null)
    },
  )
})

describe('captures: what is special about them', () => {
  const expected: [version: (typeof VERSIONS)[number], name: string, what: object][] = [
    ['b10309', 'kv-exhausted-1of4', { outcome: 'in_band_error', errorCode: 'server_error' }],
    [
      'b4748',
      'err-context-small',
      { outcome: 'in_band_error', errorCode: 'invalid_request_error', outputTokens: null },
    ],
    [
      'b10309',
      'chat-stream-stop0',
      { outcome: 'ok', contentEvents: 0, firstContentAtMs: null, outputTokens: 1 },
    ],
    ['b10309', 'chat-stream-n2', { outcome: 'ok', outputTokens: 16, inputTokens: 28, sequences: 2 }],
    ['b10309', 'completions-stream-n2', { outcome: 'ok', outputTokens: 12, inputTokens: 3 }],
    ['b10309', 'chat-nonstream-n2', { outcome: 'ok', outputTokens: null, outputTokensSource: 'unknown' }],
    ['b10309', 'chat-stream-nousage', { outcome: 'ok', outputTokens: 16, inputTokens: 28 }],
    ['b10309', 'chat-stream-escapes', { outcome: 'ok', text: ' a\n\ndata: b\n\n"c" \\ [DONE]\t/' }],
    [
      'b10309',
      'chat-stream-utf8-bytes',
      { outcome: 'ok', text: ' 😀é漢字 the end 🎉', contentEvents: 9, outputTokens: 21 },
    ],
    ['b10309', 'server-sigterm-midstream', { outcome: 'timeout', errorCode: 'idle_timeout' }],
    ['b10309', 'server-sigkill-midstream', { outcome: 'truncated', errorCode: 'closed_early' }],
    ['b10309', 'loading-chat-stream', { outcome: 'http_error', errorCode: 'unavailable' }],
    ['b10309', 'auth-wrong-key', { outcome: 'http_error', errorCode: 'unauthorized' }],
    ['b10309', 'err-invalid-json', { outcome: 'http_error', httpStatus: 500 }],
  ]
  test.each(expected)('%s %s', async (version, name, what) => {
    const capture = captures[version].find((one) => one.name === name)
    if (capture === undefined) throw new Error(`no capture ${name}`)
    expect(await exchanged(capture)).toMatchObject(what)
  })

  test('sse-ping: comments are no content, and the answer is whole', async () => {
    const capture = captures.b10309.find(({ name }) => name === 'sse-ping')
    if (capture === undefined) throw new Error('no capture sse-ping')
    const result = await exchanged(capture)
    expect(result.comments).toBeGreaterThan(0)
    expect(result.outcome).toBe('ok')
  })
})

test('captures: any slicing of a stream gives the same observation', () => {
  const streams = VERSIONS.flatMap((version) => captures[version].filter(({ stream }) => stream))
  fc.assert(
    fc.property(fc.constantFrom(...streams), fc.array(fc.nat(), { maxLength: 80 }), (capture, cuts) => {
      const bytes = Buffer.from(capture.reads.map(([, latin1]) => latin1).join(''), 'latin1')
      expect(observed(sliced(bytes, cuts))).toEqual(observed([bytes]))
    }),
    { numRuns: 300, seed: 7 },
  )
})

/** Chunk sizes and heads are lines of no known field to the event stream, so that the raw bytes can be sliced. */
function observed(chunks: readonly Buffer[]) {
  const observation = new Observation({
    textOf: chatText,
    expectJson: false,
    keepText: true,
    onContentEvent: () => {},
  })
  const stream = new EventStream(observation)
  for (const chunk of chunks) stream.push(chunk)
  const { text, reasoningText, contentEvents, done, error, comments, finishReasons } = observation
  return {
    text,
    reasoningText,
    contentEvents,
    done,
    error,
    comments,
    finishReasons,
    tokens: observation.usage.counts(1),
  }
}

function sliced(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...at].map((start, i) => bytes.subarray(start, at[i] ?? bytes.length))
}
