import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EventStream } from '../../src/wire/event-stream.ts'
import { readEvents } from './reference-event-reader.ts'

interface Seen {
  readonly events: { readonly data: string; readonly type: string }[]
  readonly errors: string[]
  comments: number
  tooLong: number
}

function read(chunks: readonly Buffer[], bytesMax?: number): Seen & { readonly stream: EventStream } {
  const seen: Seen = { events: [], errors: [], comments: 0, tooLong: 0 }
  const sink = {
    onEvent: (data: string, type: string) => seen.events.push({ data, type }),
    onErrorField: (text: string) => seen.errors.push(text),
    onComment: () => {
      seen.comments++
    },
    onTooLong: () => {
      seen.tooLong++
    },
  }
  const stream = new EventStream(sink, bytesMax)
  for (const chunk of chunks) stream.push(chunk)
  return { ...seen, stream }
}

function slice(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...at].map((start, i) => bytes.subarray(start, at[i] ?? bytes.length))
}

const read1 = (text: string) => read([Buffer.from(text)])

describe('event stream: the grammar', () => {
  const rows: [fact: string, text: string, events: { data: string; type: string }[]][] = [
    [
      'LF ends a line, a blank line an event',
      'data: a\n\ndata: b\n\n',
      [
        { data: 'a', type: 'message' },
        { data: 'b', type: 'message' },
      ],
    ],
    [
      'CRLF ends a line',
      'data: a\r\n\r\ndata: b\r\n\r\n',
      [
        { data: 'a', type: 'message' },
        { data: 'b', type: 'message' },
      ],
    ],
    [
      'CR ends a line',
      'data: a\r\rdata: b\r\r',
      [
        { data: 'a', type: 'message' },
        { data: 'b', type: 'message' },
      ],
    ],
    [
      'line ends mix',
      'data: a\r\n\ndata: b\r\r\n',
      [
        { data: 'a', type: 'message' },
        { data: 'b', type: 'message' },
      ],
    ],
    ['data lines are joined by LF', 'data: a\ndata:\ndata: b\n\n', [{ data: 'a\n\nb', type: 'message' }]],
    [
      'only one space after the colon goes',
      'data:a\n\ndata:  a\n\n',
      [
        { data: 'a', type: 'message' },
        { data: ' a', type: 'message' },
      ],
    ],
    ['a field without colon has an empty value', 'data\n\n', [{ data: '', type: 'message' }]],
    ['an event without data is none', 'event: x\nid: 1\n\n', []],
    [
      'the type is that of its own event',
      'event: x\ndata: a\n\ndata: b\n\n',
      [
        { data: 'a', type: 'x' },
        { data: 'b', type: 'message' },
      ],
    ],
    ['a byte order mark opens the first line', '\uFEFFdata: a\n\n', [{ data: 'a', type: 'message' }]],
    ['a later mark is part of a name', 'data: a\n\n\uFEFFdata: b\n\n', [{ data: 'a', type: 'message' }]],
    ['unknown fields are ignored', 'datax: a\nfoo: b\n\n', []],
    [
      'what has no blank line behind it is no event',
      'data: a\n\ndata: b\n',
      [{ data: 'a', type: 'message' }],
    ],
    ['a colon in the value stays', 'data: {"a": 1}\n\n', [{ data: '{"a": 1}', type: 'message' }]],
  ]
  test.each(rows)('%s', (_fact, text, events) => {
    expect(read1(text).events).toEqual(events)
  })

  test('comments are counted and are no events', () => {
    expect(read1(': ping\n\n:\n\ndata: a\n\n')).toMatchObject({
      comments: 2,
      events: [{ data: 'a', type: 'message' }],
    })
  })

  test('an error field is handed over though it is not in the standard', () => {
    expect(read1('error: {"code":400}\n\ndata: [DONE]\n\n')).toMatchObject({
      errors: ['{"code":400}'],
      events: [{ data: '[DONE]', type: 'message' }],
    })
  })

  test('id and retry are kept, and malformed ones ignored', () => {
    const { stream } = read1('id: 7\nretry: 250\n\nid: a\0b\nretry: 1s\n\n')
    expect([stream.lastEventId, stream.retryMs]).toEqual(['7', 250])
  })
})

describe('event stream: bounds', () => {
  test('an event of 5 MB, in reads of 64 KB, arrives whole', () => {
    const bytes = Buffer.from(`data: ${'é'.repeat(2_621_440)}\n\ndata: b\n\n`)
    const chunks = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, i) =>
      bytes.subarray(i * 65_536, (i + 1) * 65_536),
    )
    expect(read(chunks).events.map(({ data }) => data.length)).toEqual([2_621_440, 1])
  })

  test('a line past the bound is thrown away and told, and the stream goes on', () => {
    const chunks = ['data: 12345', '67890', 'still the same line\ndata: ok\n\n'].map((text) =>
      Buffer.from(text),
    )
    expect(read(chunks, 12)).toMatchObject({ tooLong: 1, events: [{ data: 'ok', type: 'message' }] })
  })

  test('data lines that together pass the bound are thrown away and told', () => {
    expect(read([Buffer.from('data: 12345678\ndata: 12345678\n\ndata: ok\n\n')], 16)).toMatchObject({
      tooLong: 1,
      events: [{ data: 'ok', type: 'message' }],
    })
  })
})

describe('event stream: any slicing', () => {
  const piece = fc.constantFrom(
    'data',
    'data:',
    'data: ',
    'event: e',
    'id: 1',
    ': c',
    'error: x',
    '\n',
    '\r',
    '\r\n',
    '\n\n',
    '\r\r',
    '\r\n\r\n',
    ' ',
    ':',
    'é漢🎉',
    '\uFEFF',
    '{"a":1}',
    '[DONE]',
    'retry: 5',
    '\0',
  )
  const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''))

  test('gives the events of the whole, which are those of the reference reader', () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 60 }), (source, cuts) => {
        const bytes = Buffer.from(source)
        const { events, errors, comments } = read(slice(bytes, cuts))
        expect({ events, errors, comments }).toEqual(readEvents(source))
      }),
      { numRuns: 2000, seed: 5 },
    )
  })

  test('byte by byte too', () => {
    fc.assert(
      fc.property(text, (source) => {
        const { events, errors, comments } = read([...Buffer.from(source)].map((byte) => Buffer.from([byte])))
        expect({ events, errors, comments }).toEqual(readEvents(source))
      }),
      { numRuns: 500, seed: 6 },
    )
  })
})
