/**
 * An independent reader of recorded answers, for tests: takes all bytes at once, follows RFC 9112 and the event-stream
 * standard in the plainest way, and says what METRICS.md makes of them. It shares no code with what it judges.
 */

import { readEvents } from '../wire/reference-event-reader.ts'

export interface Capture {
  readonly name: string
  readonly endpoint: 'chat' | 'completions'
  readonly n: number
  readonly maxTokens: number
  readonly stream: boolean
  readonly reads: readonly (readonly [ms: number, latin1: string])[]
  readonly end: 'server_fin' | 'client_destroy' | 'client_timeout'
}

export interface ReferenceAnswer {
  readonly outcome: string
  readonly httpStatus: number
  readonly text: string
  readonly reasoningText: string
  readonly contentEvents: number
  readonly finishReason: string | null
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly comments: number
  /** Index of the read in which the first content event became whole; null without content. */
  readonly firstContentRead: number | null
}

// biome-ignore lint/suspicious/noExplicitAny: recorded JSON of any shape
type Json = any

export function readCapture(capture: Capture): ReferenceAnswer {
  const whole = decode(capture, capture.reads.length)
  return { ...whole, firstContentRead: firstRead(capture, whole.contentEvents) }
}

function firstRead(capture: Capture, contentEvents: number): number | null {
  if (contentEvents === 0) return null
  const at = capture.reads.findIndex((_read, index) => decode(capture, index + 1).contentEvents > 0)
  return at < 0 ? null : at
}

function decode(capture: Capture, reads: number): Omit<ReferenceAnswer, 'firstContentRead'> {
  const bytes = Buffer.from(
    capture.reads
      .slice(0, reads)
      .map(([, text]) => text)
      .join(''),
    'latin1',
  )
  const split = bytes.indexOf('\r\n\r\n')
  const head = bytes.subarray(0, Math.max(0, split)).toString('latin1')
  const { body, whole } = unwrap(head, bytes.subarray(split + 4))
  const httpStatus = Number(head.split(' ')[1] ?? 0)
  const streamed = /content-type: text\/event-stream/i.test(head)
  const { events, errors, comments } = streamed ? readEvents(body.toString('utf8')) : oneEvent(body, whole)
  const values: Json[] = events.filter(({ data }) => data !== '[DONE]').map(({ data }) => JSON.parse(data))
  const done = events.some(({ data }) => data === '[DONE]')
  const choices = values.flatMap((value) => (value?.choices ?? []).map((choice: Json) => ({ value, choice })))
  const finishes = choices.map(({ choice }) => choice.finish_reason).filter((reason) => reason)
  const failed = errors.length > 0 || values.some((value) => value?.error)
  const texts = choices.map(({ choice }) => textOf(choice))
  const contentEvents = values.filter((value) =>
    (value?.choices ?? []).some((choice: Json) => Object.values(textOf(choice)).some((text) => text !== '')),
  ).length
  const tokens = tokensOf(values, streamed, capture, finishes)
  const complete = done || finishes.length >= capture.n
  return {
    outcome: outcomeOf({
      httpStatus,
      failed,
      complete,
      silent: capture.end !== 'server_fin',
      empty: contentEvents === 0 && !tokens.outputTokens,
    }),
    httpStatus,
    text: texts.map(({ visible }) => visible).join(''),
    reasoningText: texts.map(({ reasoning }) => reasoning).join(''),
    contentEvents,
    finishReason: finishes.length === 0 ? null : [...new Set(finishes)].join('+'),
    ...tokens,
    comments,
  }
}

function outcomeOf(seen: {
  httpStatus: number
  failed: boolean
  complete: boolean
  silent: boolean
  empty: boolean
}): string {
  if (seen.httpStatus >= 300) return 'http_error'
  if (seen.failed) return 'in_band_error'
  if (seen.complete) return seen.empty ? 'empty' : 'ok'
  return seen.silent ? 'timeout' : 'truncated'
}

function unwrap(head: string, rest: Buffer): { body: Buffer; whole: boolean } {
  const length = /content-length: *(\d+)/i.exec(head)?.[1]
  if (length !== undefined) return { body: rest, whole: rest.length >= Number(length) }
  const parts: Buffer[] = []
  let at = 0
  for (;;) {
    const end = rest.indexOf('\r\n', at)
    const size = end < 0 ? Number.NaN : Number.parseInt(rest.toString('latin1', at, end), 16)
    if (Number.isNaN(size)) return { body: Buffer.concat(parts), whole: false }
    if (size === 0) return { body: Buffer.concat(parts), whole: true }
    parts.push(rest.subarray(end + 2, Math.min(rest.length, end + 2 + size)))
    at = end + 2 + size + 2
  }
}

function oneEvent(body: Buffer, whole: boolean) {
  const text = body.toString('utf8')
  return {
    events: whole && text.trim() !== '' ? [{ data: text, type: 'message' }] : [],
    errors: [],
    comments: 0,
  }
}

function textOf(choice: Json): { visible: string; reasoning: string } {
  const from = choice.delta ?? choice.message ?? {}
  const calls = (from.tool_calls ?? []).map(
    (call: Json) => `${call.function?.name ?? ''}${call.function?.arguments ?? ''}`,
  )
  return {
    visible: `${choice.text ?? ''}${from.content ?? ''}${calls.join('')}`,
    reasoning: from.reasoning_content ?? '',
  }
}

/** Sum over the usage reports, of which llama.cpp sends one per choice; without them, its timings. */
function tokensOf(values: readonly Json[], streamed: boolean, capture: Capture, finishes: readonly string[]) {
  const usages = values.map((value) => value?.usage).filter((usage) => usage)
  const timings = values
    .filter((value) => value?.choices?.[0]?.finish_reason || value?.choices?.length === 0)
    .map((value) => value?.timings)
    .filter((one) => one)
  const add = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0)
  if (usages.length > 0) {
    const output = add(usages.map(({ completion_tokens }) => completion_tokens))
    // A whole answer counts only its first choice: then nothing is known.
    const partial = !streamed && finishes.length > 1 && output === capture.maxTokens
    return { inputTokens: usages[0].prompt_tokens, outputTokens: partial ? null : output }
  }
  if (timings.length === 0) return { inputTokens: null, outputTokens: null }
  return {
    inputTokens: timings[0].prompt_n + timings[0].cache_n,
    outputTokens: add(timings.map(({ predicted_n }) => predicted_n)),
  }
}
