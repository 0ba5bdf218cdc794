/**
 * Decompressing a body that the server compressed although it was not asked to.
 *
 * Inflating is asynchronous, so what comes out is paired with the receive instant of the chunk that went in: chunks
 * are inflated one after the other, and output that appears while chunk k is inflated was received with chunk k.
 */

import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

export interface InflatedSink {
  onInflated(bytes: Buffer, atMs: number): void
  /** @param failed the compressed bytes were damaged or cut */
  onInflateEnd(failed: boolean): void
}

/** A stream that undoes this `content-encoding`; null when it is not known. */
export function inflaterFor(encoding: string): Transform | null {
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip()
  if (encoding === 'deflate') return createInflate()
  return encoding === 'br' ? createBrotliDecompress() : null
}

/** Feeds compressed chunks to an inflater, and its output, with the right instants, to the sink. */
export class Inflate {
  readonly #transform: Transform
  /** Receive instants of the chunks that are not inflated yet; the first is being inflated. */
  readonly #instants: number[] = []
  #lastAtMs = 0
  #ended = false

  constructor(transform: Transform, sink: InflatedSink) {
    this.#transform = transform
    const finish = (failed: boolean) => {
      if (!this.#ended) sink.onInflateEnd(failed)
      this.#ended = true
    }
    transform.on('data', (bytes: Buffer) => {
      if (!this.#ended) sink.onInflated(bytes, this.#instants[0] ?? this.#lastAtMs)
    })
    transform.on('end', () => finish(false))
    transform.on('error', () => finish(true))
  }

  write(chunk: Buffer, atMs: number): void {
    this.#instants.push(atMs)
    this.#transform.write(chunk, () => {
      this.#lastAtMs = this.#instants.shift() ?? this.#lastAtMs
    })
  }

  end(): void {
    this.#transform.end()
  }
}
