/**
 * What can go wrong between a client and a server, as data. A fault is chosen by the request header
 * `x-sim-fault: NAME` (with parameters: `reset-mid-stream;after=5`), or for a seeded fraction of the requests.
 *
 * Three kinds. `head`: instead of an answer, or before it. `stream`: in how a streamed answer is written; a plain
 * answer ignores these unless its entry says more. `answer`: in what is generated, streamed or not.
 */

export interface Fault {
  readonly kind: 'head' | 'stream' | 'answer'
  /** One line for people; `loadcurve sim --help` prints it. */
  readonly summary: string
}

export const FAULTS = {
  refuse: { kind: 'head', summary: 'the connection is reset as soon as it is known; see also --refuse-port' },
  'reset-before-head': {
    kind: 'head',
    summary: 'TCP reset after the request was read, before any byte of an answer',
  },
  'stall-before-head': { kind: 'head', summary: 'the request is read and never answered' },
  'slow-head': {
    kind: 'head',
    summary: 'status line and headers come delayMs (default 2000) late, the rest is normal',
  },
  'http-429': { kind: 'head', summary: 'status 429 with Retry-After: 1' },
  'http-500': { kind: 'head', summary: 'status 500 with an error body' },
  'http-503': { kind: 'head', summary: 'status 503 with an error body' },
  'error-body-200': {
    kind: 'head',
    summary: 'status 200, application/json, and an error object as the body',
  },
  'html-200': { kind: 'head', summary: 'status 200 and an HTML page, as a wrong proxy answers' },
  'reset-mid-stream': { kind: 'stream', summary: 'TCP reset after `after` (default 3) token events' },
  'stall-mid-stream': {
    kind: 'stream',
    summary: 'silence after `after` token events; the socket stays open',
  },
  'eof-mid-stream': {
    kind: 'stream',
    summary: 'a clean end after `after` token events: no finish reason, no [DONE]',
  },
  'cut-mid-stream': {
    kind: 'stream',
    summary: 'FIN after `after` token events, without the terminating chunk',
  },
  'error-event': {
    kind: 'stream',
    summary: 'after `after` token events `data: {"error": …}`, then a clean end, no [DONE]',
  },
  'error-field': {
    kind: 'stream',
    summary: 'after `after` token events a line `error: {…}`, then `data: [DONE]`',
  },
  'no-done': { kind: 'stream', summary: 'finish reason and usage, then a clean end without [DONE]' },
  'no-finish': { kind: 'stream', summary: '[DONE] without any finish reason before it' },
  'missing-usage': { kind: 'stream', summary: 'usage was asked for and does not come' },
  'usage-twice': {
    kind: 'stream',
    summary: 'a usage event in mid-stream, with counts so far, and one at the end',
  },
  'data-null': {
    kind: 'stream',
    summary: '`data: null` before the first and after every fourth token event',
  },
  'empty-deltas': {
    kind: 'stream',
    summary: 'a role-only delta, then deltas with empty content between the tokens',
  },
  'several-tokens': { kind: 'stream', summary: 'four tokens per event' },
  crlf: { kind: 'stream', summary: 'CRLF line ends' },
  cr: { kind: 'stream', summary: 'CR line ends' },
  comments: { kind: 'stream', summary: 'comment lines as keep-alive before and between events' },
  'multi-line-data': { kind: 'stream', summary: 'each JSON object is split over two data lines' },
  'other-fields': {
    kind: 'stream',
    summary: '`event:`, `id:` and `retry:` fields beside data, and no space after the colon',
  },
  bom: { kind: 'stream', summary: 'the stream begins with a byte order mark' },
  'utf8-split': { kind: 'stream', summary: 'multi-byte characters, each cut between two writes' },
  'byte-per-write': { kind: 'stream', summary: 'every byte in a chunk and a write of its own' },
  'huge-event': { kind: 'stream', summary: 'the third token event carries 5 MB' },
  gzip: { kind: 'stream', summary: 'Content-Encoding: gzip, flushed per event, asked for or not' },
  buffered: {
    kind: 'stream',
    summary: 'the whole stream in one write at its end, as a buffering proxy sends it',
  },
  'half-closed': {
    kind: 'stream',
    summary: 'the head promises keep-alive, yet the server closes after the answer',
  },
  'eos-not-ignored': { kind: 'answer', summary: 'ignore_eos and min_tokens are silently ignored' },
  'length-cut': { kind: 'answer', summary: 'half of the asked tokens, finish reason stop' },
  'empty-answer': { kind: 'answer', summary: 'a success without any token' },
  'reasoning-only': { kind: 'answer', summary: 'all tokens are reasoning, none is visible' },
  'content-filter': { kind: 'answer', summary: 'ends half-way with finish reason content_filter' },
  'invalid-json': { kind: 'answer', summary: 'JSON output is cut before it is complete, finish reason stop' },
} as const satisfies Record<string, Fault>

export type FaultName = keyof typeof FAULTS

export interface ChosenFault {
  readonly name: FaultName
  /** Token events before the stream breaks. */
  readonly after: number
  readonly delayMs: number
}

export function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(FAULTS, name)
}

/**
 * Reads `NAME;after=5;delayMs=300`.
 *
 * @returns a sentence when the header cannot be understood
 */
export function parseFaultHeader(header: string): ChosenFault | string {
  const [name = '', ...parameters] = header.split(';').map((part) => part.trim())
  if (!isFaultName(name)) return `x-sim-fault: there is no fault ${JSON.stringify(name)}`
  const chosen = { name, after: 3, delayMs: 2000 }
  for (const parameter of parameters) {
    const [key = '', text = ''] = parameter.split('=')
    const value = Number(text)
    if ((key !== 'after' && key !== 'delayMs') || !Number.isInteger(value) || value < 0) {
      return `x-sim-fault: ${JSON.stringify(parameter)} is not after=COUNT or delayMs=MILLISECONDS`
    }
    chosen[key] = value
  }
  return chosen
}

/** The fault of the next request when faults come by fraction; `u` is uniform in [0, 1). */
export function drawFault(fractions: Partial<Record<FaultName, number>>, u: number): ChosenFault | null {
  let below = 0
  for (const [name, fraction] of Object.entries(fractions) as [FaultName, number][]) {
    below += fraction
    if (u < below) return { name, after: 3, delayMs: 2000 }
  }
  return null
}
