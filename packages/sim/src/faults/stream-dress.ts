/**
 * How a streamed answer is put on the wire. The plain dress is what vLLM does; each `stream` fault changes one thing in
 * it. Nothing here does I/O: the writer reads these fields.
 */
import type { ChosenFault } from './catalogue.ts'

export type StreamBreak = 'reset' | 'stall' | 'eof' | 'cut' | 'error-event' | 'error-field'

export interface StreamDress {
  readonly lineEnd: '\n' | '\r\n' | '\r'
  readonly contentEncoding: 'gzip' | null
  readonly slicing: 'none' | 'byte' | 'utf8' | 'whole'
  readonly tokensPerEvent: number
  /** Written before the first event. */
  readonly opening: string
  /** Written before the token event with this index (0 is the first). */
  readonly beforeEvent: (index: number) => string
  /** One event's text from its JSON, lines ended by \n. */
  readonly frame: (json: string) => string
  /** Text of the token event with this index in place of the token's own. */
  readonly replaceText: ((index: number, text: string) => string) | null
  readonly emptyDeltas: boolean
  readonly breakAt: { readonly events: number; readonly how: StreamBreak } | null
  readonly omitUsage: boolean
  readonly omitFinish: boolean
  readonly omitDone: boolean
  readonly usageInMidStream: boolean
  readonly closeAfter: boolean
}

const plainFrame = (json: string) => `data: ${json}\n\n`

export const PLAIN_DRESS: StreamDress = {
  lineEnd: '\n',
  contentEncoding: null,
  slicing: 'none',
  tokensPerEvent: 1,
  opening: '',
  beforeEvent: () => '',
  frame: plainFrame,
  replaceText: null,
  emptyDeltas: false,
  breakAt: null,
  omitUsage: false,
  omitFinish: false,
  omitDone: false,
  usageInMidStream: false,
  closeAfter: false,
}

/** 5 MB of text in one event. */
const HUGE_EVENT_CHARACTERS = 5 * 1024 * 1024
/** Two, three and four bytes in UTF-8. */
const WIDE_WORDS = [' é', ' 漢字', ' 😀']

/** The dress of a fault; the plain one for faults of another kind. */
export function dressFor(fault: ChosenFault | null): StreamDress {
  if (fault === null) return PLAIN_DRESS
  return { ...PLAIN_DRESS, ...changesFor(fault) }
}

function changesFor({ name, after }: ChosenFault): Partial<StreamDress> {
  switch (name) {
    case 'reset-mid-stream':
      return { breakAt: { events: after, how: 'reset' } }
    case 'stall-mid-stream':
      return { breakAt: { events: after, how: 'stall' } }
    case 'eof-mid-stream':
      return { breakAt: { events: after, how: 'eof' } }
    case 'cut-mid-stream':
      return { breakAt: { events: after, how: 'cut' } }
    case 'error-event':
      return { breakAt: { events: after, how: 'error-event' } }
    case 'error-field':
      return { breakAt: { events: after, how: 'error-field' } }
    case 'no-done':
      return { omitDone: true }
    case 'no-finish':
      return { omitFinish: true }
    case 'missing-usage':
      return { omitUsage: true }
    case 'usage-twice':
      return { usageInMidStream: true }
    case 'data-null':
      return { beforeEvent: (index) => (index % 4 === 0 ? 'data: null\n\n' : '') }
    case 'empty-deltas':
      return { emptyDeltas: true }
    case 'several-tokens':
      return { tokensPerEvent: 4 }
    case 'half-closed':
      return { closeAfter: true }
    default:
      return bytesChangesFor(name)
  }
}

/** Faults that leave the events alone and change how they become bytes. */
function bytesChangesFor(name: ChosenFault['name']): Partial<StreamDress> {
  switch (name) {
    case 'crlf':
      return { lineEnd: '\r\n' }
    case 'cr':
      return { lineEnd: '\r' }
    case 'comments':
      return {
        opening: ': waiting\n\n:\n\n',
        beforeEvent: (index) => (index % 2 === 0 ? ': keep-alive\n\n' : ''),
      }
    case 'multi-line-data':
      return { frame: splitFrame }
    case 'other-fields':
      return { opening: 'retry: 3000\n\n', frame: (json) => `event: message\nid: 1\ndata:${json}\n\n` }
    case 'bom':
      return { opening: '\ufeff' }
    case 'utf8-split':
      return { slicing: 'utf8', replaceText: (index) => WIDE_WORDS[index % WIDE_WORDS.length] ?? '' }
    case 'byte-per-write':
      return { slicing: 'byte' }
    case 'buffered':
      return { slicing: 'whole' }
    case 'huge-event':
      return { replaceText: (index, text) => (index === 2 ? ` ${'x'.repeat(HUGE_EVENT_CHARACTERS)}` : text) }
    case 'gzip':
      return { contentEncoding: 'gzip' }
    default:
      return {}
  }
}

/** A line feed is white space in JSON where a comma between members stands, so two data lines join to the same value. */
function splitFrame(json: string): string {
  const at = json.indexOf(',"choices"')
  if (at < 0) return plainFrame(json)
  return `data: ${json.slice(0, at + 1)}\ndata: ${json.slice(at + 1)}\n\n`
}
