/**
 * Puts event text on a socket as HTTP chunks, framed here: `ServerResponse.write` would make four small buffers, a cork
 * and a callback of each event.
 *
 * Events wait in the outbox until the engine has handed out all tokens of a step, and then all sockets are written in
 * one go, as engines do. It also costs less than half: with other work between two writes, the reader on the next core
 * falls asleep each time, and every write pays for waking it up.
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { constants, createGzip, type Gzip } from 'node:zlib'
import { monotonicMs } from '../engine/monotonic-clock.ts'
import { PLAIN_DRESS, type StreamDress } from '../faults/stream-dress.ts'
import type { Outbox } from './outbox.ts'
import { resetSocket } from './reset-socket.ts'

const WIDE = /\P{ASCII}/u

/** A client that reads nothing may not fill the memory: past this it is cut off. */
const UNSENT_BYTES_MAX = 16 * 1024 * 1024

const RESET_DELAY_MS = 20

/** Stands in event text where the instant of the write belongs; JSON never contains it unescaped. */
export const STAMP = '\u0001'

export class StreamWire {
  readonly #response: ServerResponse
  readonly #dress: StreamDress
  readonly #gzip: Gzip | null
  readonly #outbox: Outbox
  /** Texts that wait for the end of the step; each becomes a chunk. */
  #pending: string[] = []
  /** Text held back for a server that sends everything at its end. */
  #held = ''

  constructor(response: ServerResponse, dress: StreamDress, outbox: Outbox) {
    this.#response = response
    this.#dress = dress
    this.#outbox = outbox
    this.#gzip = dress.contentEncoding === 'gzip' ? createGzip({ flush: constants.Z_SYNC_FLUSH }) : null
    this.#gzip?.on('data', (bytes: Buffer) => this.#writeChunk(bytes))
  }

  /** Sends status line and headers at once: engines do not wait for the first token with them. */
  open(): void {
    const headers: Record<string, string> = { 'content-type': 'text/event-stream; charset=utf-8' }
    if (this.#gzip !== null) headers['content-encoding'] = 'gzip'
    this.#response.writeHead(200, headers)
    this.#response.flushHeaders()
    if (this.#dress.opening === '') return
    this.write(this.#dress.opening)
    this.flush()
  }

  /** Event text with \n line ends; it leaves with the others of its step. */
  write(text: string): void {
    if (this.#pending.push(text) === 1) this.#outbox.add(this)
  }

  /** Writes what waits. */
  flush(): void {
    if (this.#pending.length === 0) return
    const texts = this.#pending
    this.#pending = []
    const stamped = texts.map((text) =>
      text.includes(STAMP) ? text.replaceAll(STAMP, `${monotonicMs()}`) : text,
    )
    if (this.#dress === PLAIN_DRESS) this.#writeTexts(stamped)
    else for (const text of stamped) this.#writeDressed(text)
  }

  #writeDressed(text: string): void {
    const { lineEnd, slicing } = this.#dress
    const ended = lineEnd === '\n' ? text : text.replaceAll('\n', lineEnd)
    if (slicing === 'whole') this.#held += ended
    else if (this.#gzip !== null) this.#gzip.write(ended)
    else if (slicing === 'none') this.#writeTexts([ended])
    else for (const slice of slices(Buffer.from(ended), slicing)) this.#writeChunk(slice)
  }

  /** Ends the answer; the connection stays unless the dress closes it. */
  end(): void {
    this.flush()
    if (this.#held !== '') this.#writeTexts([this.#held])
    if (this.#gzip !== null) {
      this.#gzip.once('end', () => this.#finish())
      this.#gzip.end()
    } else this.#finish()
  }

  /** FIN without the terminating chunk. */
  cut(): void {
    this.flush()
    this.#socket?.end()
  }

  /**
   * A TCP reset, a moment after the last event. Right behind unread data many event loops (libuv's among them) report
   * the end of the stream and never look at the reset.
   */
  reset(): void {
    this.flush()
    const socket = this.#socket
    setTimeout(() => resetSocket(socket), RESET_DELAY_MS)
  }

  get #socket(): Socket | null {
    return this.#response.socket
  }

  #finish(): void {
    const socket = this.#socket
    this.#response.end()
    if (this.#dress.closeAfter) socket?.end()
  }

  /** Each text as a chunk, all in one write. */
  #writeTexts(texts: readonly string[]): void {
    const socket = this.#socket
    const framed = texts.map((text) => this.#frame(text)).join('')
    if (socket === null || WIDE.test(framed)) {
      for (const text of texts) this.#writeChunk(Buffer.from(text))
    } else if (!this.#refuseSlowReader(socket)) socket.write(framed, 'latin1')
  }

  #writeChunk(bytes: Buffer): void {
    const socket = this.#socket
    // A pipelined request has no socket before its predecessor has ended; Node keeps its bytes.
    if (socket === null || !this.#response.chunkedEncoding) this.#response.write(bytes)
    else if (!this.#refuseSlowReader(socket)) {
      const size = Buffer.from(`${bytes.length.toString(16)}\r\n`)
      socket.write(Buffer.concat([size, bytes, Buffer.from('\r\n')]))
    }
  }

  /** An HTTP/1.0 client gets no chunks: its answer ends with the connection. */
  #frame(text: string): string {
    return this.#response.chunkedEncoding ? `${text.length.toString(16)}\r\n${text}\r\n` : text
  }

  #refuseSlowReader(socket: Socket): boolean {
    if (socket.writableLength <= UNSENT_BYTES_MAX) return false
    socket.destroy()
    return true
  }
}

/** Single bytes, or pieces that cut every multi-byte character after its first byte. */
function slices(bytes: Buffer, slicing: 'byte' | 'utf8'): Buffer[] {
  const pieces: Buffer[] = []
  let from = 0
  for (let index = 0; index < bytes.length; index++) {
    const leads = (bytes[index] ?? 0) >= 0xc0
    if (slicing === 'utf8' && !leads) continue
    pieces.push(bytes.subarray(from, index + 1))
    from = index + 1
  }
  if (from < bytes.length) pieces.push(bytes.subarray(from))
  return pieces
}
