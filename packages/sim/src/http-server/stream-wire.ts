/**
 * Puts event text on a socket as HTTP chunks. `ServerResponse.write` would make four small buffers, a cork and a
 * callback of each event; the chunk is framed here and written to the socket in one call, which costs a third.
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { constants, createGzip, type Gzip } from 'node:zlib'
import type { StreamDress } from '../faults/stream-dress.ts'
import { resetSocket } from './reset-socket.ts'

/** A client that reads nothing may not fill the memory: past this it is cut off. */
const UNSENT_BYTES_MAX = 64 * 1024 * 1024

const RESET_DELAY_MS = 20

export class StreamWire {
  readonly #response: ServerResponse
  readonly #dress: StreamDress
  readonly #gzip: Gzip | null
  /** Text held back for a server that sends everything at its end. */
  #held = ''

  constructor(response: ServerResponse, dress: StreamDress) {
    this.#response = response
    this.#dress = dress
    this.#gzip = dress.contentEncoding === 'gzip' ? createGzip({ flush: constants.Z_SYNC_FLUSH }) : null
    this.#gzip?.on('data', (bytes: Buffer) => this.#writeChunk(bytes))
  }

  /** Sends status line and headers at once: engines do not wait for the first token with them. */
  open(): void {
    const headers: Record<string, string> = { 'content-type': 'text/event-stream; charset=utf-8' }
    if (this.#gzip !== null) headers['content-encoding'] = 'gzip'
    this.#response.writeHead(200, headers)
    this.#response.flushHeaders()
    if (this.#dress.opening !== '') this.write(this.#dress.opening)
  }

  /** Event text with \n line ends. */
  write(text: string): void {
    const { lineEnd, slicing } = this.#dress
    const ended = lineEnd === '\n' ? text : text.replaceAll('\n', lineEnd)
    if (slicing === 'whole') this.#held += ended
    else if (this.#gzip !== null) this.#gzip.write(ended)
    else if (slicing === 'none') this.#writeText(ended)
    else for (const slice of slices(Buffer.from(ended), slicing)) this.#writeChunk(slice)
  }

  /** Ends the answer; the connection stays unless the dress closes it. */
  end(): void {
    if (this.#held !== '') this.#writeText(this.#held)
    if (this.#gzip !== null) {
      this.#gzip.once('end', () => this.#finish())
      this.#gzip.end()
    } else this.#finish()
  }

  /** FIN without the terminating chunk. */
  cut(): void {
    this.#socket?.end()
  }

  /**
   * A TCP reset, a moment after the last event. Right behind unread data many event loops (libuv's among them) report
   * the end of the stream and never look at the reset.
   */
  reset(): void {
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

  #writeText(text: string): void {
    const socket = this.#socket
    if (socket === null || !isAscii(text)) {
      this.#writeChunk(Buffer.from(text))
      return
    }
    if (this.#refuseSlowReader(socket)) return
    socket.write(`${text.length.toString(16)}\r\n${text}\r\n`, 'latin1')
  }

  #writeChunk(bytes: Buffer): void {
    const socket = this.#socket
    // A pipelined request has no socket before its predecessor has ended; Node keeps its bytes.
    if (socket === null) this.#response.write(bytes)
    else if (!this.#refuseSlowReader(socket)) {
      socket.write(
        Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]),
      )
    }
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

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false
  return true
}
