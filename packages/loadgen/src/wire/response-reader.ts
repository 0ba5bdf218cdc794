/**
 * One answer, from received chunks to an observation: decides whether the body is an event stream or one JSON value,
 * undoes compression, and tells when everything has been read.
 *
 * The content type is believed when it says event stream or JSON; otherwise the first bytes decide, because some
 * servers stream as text/plain, and a proxy's error page is HTML.
 */

import { EventStream } from './event-stream.ts'
import { Inflate, inflaterFor } from './inflate.ts'
import { asObject, parseJson } from './json.ts'
import { Observation, type ObserveOptions } from './observe.ts'
import type { ChunkReader } from './parse-queue.ts'

/** `other`: neither an event stream nor JSON, for example an HTML page. `none`: no byte came. */
export type BodyKind = 'events' | 'json' | 'other' | 'none'

const BODY_BYTES_MAX = 16 * 1024 * 1024
const EVENT_STREAM_START = /^\uFEFF?(?:data|event|id|retry|error|)\s*:/

export class ResponseReader implements ChunkReader {
  queuedBytes = 0
  kind: BodyKind = 'none'
  /** Start of a body that is no event stream, for error messages. */
  bodyText = ''
  readonly observation: Observation
  readonly #events: EventStream
  readonly #onEnd: () => void
  #contentType = ''
  #inflate: Inflate | null = null
  #body: Buffer[] = []
  #bodyBytes = 0
  #undecodable = false

  /** @param onEnd called once, when all that was received has been read */
  constructor(options: ObserveOptions, onEnd: () => void) {
    this.observation = new Observation(options)
    this.#events = new EventStream(this.observation)
    this.#onEnd = onEnd
  }

  /** Learns from the head how to read the body. */
  start(contentType: string, contentEncoding: string): void {
    this.#contentType = contentType.toLowerCase()
    const encoding = contentEncoding.trim().toLowerCase()
    if (encoding === '' || encoding === 'identity') return
    const transform = inflaterFor(encoding)
    this.#undecodable = transform === null
    if (transform === null) return
    this.#inflate = new Inflate(transform, {
      onInflated: (bytes, atMs) => this.#readBytes(bytes, atMs),
      onInflateEnd: () => this.#finish(),
    })
  }

  read(chunk: Buffer, atMs: number): void {
    if (this.#inflate !== null) this.#inflate.write(chunk, atMs)
    else this.#readBytes(chunk, atMs)
  }

  end(): void {
    if (this.#inflate !== null) this.#inflate.end()
    else this.#finish()
  }

  #readBytes(bytes: Buffer, atMs: number): void {
    if (bytes.length === 0) return
    if (this.kind === 'none') this.kind = this.#undecodable ? 'other' : kindOf(this.#contentType, bytes)
    this.observation.atMs = atMs
    if (this.kind === 'events') this.#events.push(bytes)
    else if (this.#bodyBytes < BODY_BYTES_MAX) {
      this.#body.push(bytes)
      this.#bodyBytes += bytes.length
    }
  }

  #finish(): void {
    if (this.#body.length > 0) this.#readWholeBody(Buffer.concat(this.#body).toString('utf8'))
    this.#body = []
    this.#onEnd()
  }

  #readWholeBody(text: string): void {
    this.bodyText = text.slice(0, 2000)
    if (this.kind !== 'json') return
    const body = asObject(parseJson(text))
    if (body === null) this.kind = 'other'
    else this.observation.onBody(body)
  }
}

function kindOf(contentType: string, firstBytes: Buffer): BodyKind {
  if (contentType.startsWith('text/event-stream')) return 'events'
  if (contentType.includes('json')) return 'json'
  const start = firstBytes.toString('utf8', 0, 64)
  if (EVENT_STREAM_START.test(start)) return 'events'
  return /^\s*\{/.test(start) ? 'json' : 'other'
}
