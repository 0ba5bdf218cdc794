/**
 * Server-sent events, from bytes to events: the whole WHATWG grammar (HTML Living Standard, section 9.2.6).
 * Lines end in LF, CR or CRLF, and a chunk may be cut anywhere, also inside a character or between CR and LF. So the
 * parser looks for line ends in *bytes*, joins what a cut has torn, and decodes UTF-8 only once a line is whole.
 * A blank line dispatches the event gathered so far; what is gathered when the stream ends is not an event.
 * One field is not in the standard: llama.cpp b4748 writes failures as `error: {...}`; a by-the-book reader drops them.
 */

const [LF, CR, COLON, SPACE] = [0x0a, 0x0d, 0x3a, 0x20]
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])

export interface EventSink {
  /** Data lines joined by LF, and the `event` field (`message` when there was none). */
  onEvent(data: string, type: string): void
  onErrorField(text: string): void
  /** A comment is no token and no error, but a sign of life. */
  onComment(): void
  /** A line, or the data of one event, passed the bound and was thrown away. */
  onTooLong(): void
}

export class EventStream {
  lastEventId = ''
  retryMs: number | null = null
  readonly #sink: EventSink
  readonly #bytesMax: number
  /** Pieces of a line whose end has not come yet. */
  #torn: Buffer[] = []
  #tornBytes = 0
  #skipping = false
  /** The last chunk ended in CR: an LF at the start of the next one belongs to it. */
  #skipLineFeed = false
  #atStart = true
  /** Null until a data line: `data:` alone is an event with empty data. */
  #data: string | null = null
  #type = ''

  /** @param bytesMax bound on one line, and on the data of one event */
  constructor(sink: EventSink, bytesMax = 16 * 1024 * 1024) {
    this.#sink = sink
    this.#bytesMax = bytesMax
  }

  /** Reads the next bytes of the stream; calls the sink for each event that they complete. */
  push(chunk: Buffer): void {
    let start = this.#skipLineFeed && chunk[0] === LF ? 1 : 0
    if (chunk.length > 0) this.#skipLineFeed = false
    let cr = chunk.indexOf(CR, start)
    let lf = chunk.indexOf(LF, start)
    while (cr >= 0 || lf >= 0) {
      const end = cr < 0 || (lf >= 0 && lf < cr) ? lf : cr
      this.#endLine(chunk, start, end)
      start = end + 1
      if (end === cr) {
        if (start === chunk.length) this.#skipLineFeed = true
        else if (chunk[start] === LF) start++
        cr = chunk.indexOf(CR, start)
      }
      // A blank line mostly follows at once: looking is cheaper than searching.
      if (lf >= 0 && lf < start) lf = chunk[start] === LF ? start : chunk.indexOf(LF, start)
    }
    if (start < chunk.length && !this.#skipping) this.#tear(chunk.subarray(start))
  }

  #tear(piece: Buffer): void {
    this.#torn.push(piece)
    this.#tornBytes += piece.length
    if (this.#tornBytes <= this.#bytesMax) return
    this.#skipping = true
    this.#joinTorn()
    this.#sink.onTooLong()
  }

  #joinTorn(): Buffer {
    this.#tornBytes = 0
    return Buffer.concat(this.#torn.splice(0))
  }

  #endLine(chunk: Buffer, start: number, end: number): void {
    if (!this.#skipping && this.#torn.length === 0) this.#readLine(chunk, start, end)
    else if (!this.#skipping) {
      this.#torn.push(chunk.subarray(start, end))
      this.#readLine(this.#joinTorn())
    }
    this.#skipping = false
  }

  #readLine(bytes: Buffer, lineStart = 0, end = bytes.length): void {
    const marked = this.#atStart && bytes.subarray(lineStart, end).indexOf(BYTE_ORDER_MARK) === 0
    const start = marked ? lineStart + BYTE_ORDER_MARK.length : lineStart
    this.#atStart = false
    if (start === end) this.#dispatch()
    else if (bytes[start] === COLON) this.#sink.onComment()
    else {
      const found = bytes[start + 4] === COLON ? start + 4 : bytes.indexOf(COLON, start)
      const colon = found < 0 || found > end ? end : found
      const valueStart = Math.min(end, bytes[colon + 1] === SPACE ? colon + 2 : colon + 1)
      this.#readField(bytes.toString('latin1', start, colon), bytes.toString('utf8', valueStart, end))
    }
  }

  #readField(name: string, value: string): void {
    if (name === 'data') {
      const data = this.#data === null ? value : `${this.#data}\n${value}`
      this.#data = data.length > this.#bytesMax ? null : data
      if (this.#data === null) this.#sink.onTooLong()
    } else if (name === 'event') this.#type = value
    else if (name === 'error') this.#sink.onErrorField(value)
    else if (name === 'id' && !value.includes('\0')) this.lastEventId = value
    else if (name === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value)
  }

  #dispatch(): void {
    const [data, type] = [this.#data, this.#type || 'message']
    this.#data = null
    this.#type = ''
    if (data !== null) this.#sink.onEvent(data, type)
  }
}
