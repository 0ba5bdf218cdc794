/**
 * Chunks that were received but not yet parsed, of all streams of this process.
 *
 * Engines emit in lockstep: one decode step writes to every running stream at once, and the sockets are read one
 * after the other. Whatever a stream does between two reads makes the next stream's stamp late. So receiving only
 * stamps and queues; parsing happens afterwards, in slices of half a millisecond, and between two slices the event
 * loop looks at the sockets again. The queue is first in, first out, so every stream is parsed in order.
 *
 * Unparsed chunks are memory (~550 B for each event), so they are bounded, for one stream and for all. At the bound
 * nothing is lost: the oldest chunks are parsed at once, which costs time, and that is counted.
 */

export interface ChunkReader {
  /** Bytes of this reader that wait in the queue; kept by the queue. */
  queuedBytes: number
  /** @param atMs when the chunk was received */
  read(chunk: Buffer, atMs: number): void
  /** No more chunks will come. */
  end(): void
}

export interface ParseQueueOptions {
  readonly nowMs: () => number
  /** Runs a function once the event loop has read the sockets that are ready; `setImmediate` unless a test steps it. */
  readonly schedule?: (run: () => void) => void
  /** Longest parsing without a look at the sockets, ms. */
  readonly sliceMs?: number
  readonly bytesMax?: number
  readonly streamBytesMax?: number
  /**
   * Called for each chunk: how long after the first one of its batch it was stamped, ms. A batch is what the event loop
   * reads in one look at the sockets; its chunks were all readable when the first one was.
   */
  readonly onBatchLag?: (lagMs: number) => void
}

interface Entry {
  readonly reader: ChunkReader
  readonly chunk: Buffer | null
  readonly atMs: number
}

const MIB = 1024 * 1024
/** With a backlog: about as long as the reading of a thousand sockets takes. */
const SLICE_MAX_MS = 10
/** Consumed entries are cut off the array only now and then: `shift` would move all others each time. */
const COMPACT_AFTER = 1024

export class ParseQueue {
  /** The most bytes that ever waited. */
  peakBytes = 0
  /** How often a bound was reached, and chunks were parsed while others waited to be received. */
  boundReached = 0
  /** The longest that a chunk waited from its stamp to its parsing, ms. */
  longestWaitMs = 0

  readonly #nowMs: () => number
  readonly #schedule: (run: () => void) => void
  readonly #sliceMs: number
  readonly #bytesMax: number
  readonly #streamBytesMax: number
  readonly #onBatchLag: (lagMs: number) => void
  #batchAtMs: number | null = null
  #entries: Entry[] = []
  #head = 0
  #bytes = 0
  #scheduled = false

  constructor(options: ParseQueueOptions) {
    this.#nowMs = options.nowMs
    this.#schedule = options.schedule ?? setImmediate
    this.#sliceMs = options.sliceMs ?? 0.5
    this.#bytesMax = options.bytesMax ?? 64 * MIB
    this.#streamBytesMax = options.streamBytesMax ?? 16 * MIB
    this.#onBatchLag = options.onBatchLag ?? ignore
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Queues a chunk with its receive instant. */
  push(reader: ChunkReader, chunk: Buffer, atMs: number): void {
    this.#batchAtMs ??= atMs
    this.#onBatchLag(atMs - this.#batchAtMs)
    this.#entries.push({ reader, chunk, atMs })
    reader.queuedBytes += chunk.length
    this.#bytes += chunk.length
    if (this.#bytes > this.peakBytes) this.peakBytes = this.#bytes
    if (this.#bytes > this.#bytesMax || reader.queuedBytes > this.#streamBytesMax) this.#relieve(reader)
    this.#ensureScheduled()
  }

  /** Queues the end of a reader's stream behind its chunks. */
  end(reader: ChunkReader, atMs: number): void {
    this.#entries.push({ reader, chunk: null, atMs })
    this.#ensureScheduled()
  }

  /** Parses all that waits, at once: nothing more will be received whose stamp could suffer. */
  drain(): void {
    while (this.#readNext());
    this.#compact()
  }

  #ensureScheduled(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    this.#schedule(this.#runSlice)
  }

  readonly #runSlice = (): void => {
    this.#scheduled = false
    this.#batchAtMs = null
    const startedAtMs = this.#nowMs()
    const waitMs = startedAtMs - (this.#entries[this.#head]?.atMs ?? startedAtMs)
    this.longestWaitMs = Math.max(this.longestWaitMs, waitMs)
    // A process that cannot keep up would read for ever and parse never: the longer the wait, the longer the slice.
    const sliceMs = Math.max(this.#sliceMs, Math.min(SLICE_MAX_MS, waitMs / 10))
    // The clock is read at every fourth chunk: one chunk takes a few microseconds.
    for (let read = 1; this.#readNext(); read++) {
      if (read % 4 === 0 && this.#nowMs() - startedAtMs >= sliceMs) break
    }
    if (this.#head < this.#entries.length) this.#ensureScheduled()
    else this.#compact()
  }

  #relieve(reader: ChunkReader): void {
    this.boundReached++
    while (this.#bytes > this.#bytesMax || reader.queuedBytes > this.#streamBytesMax) {
      if (!this.#readNext()) return
    }
  }

  #readNext(): boolean {
    const entry = this.#entries[this.#head]
    if (entry === undefined) return false
    this.#head++
    if (this.#head >= COMPACT_AFTER) this.#compact()
    const { reader, chunk, atMs } = entry
    if (chunk === null) reader.end()
    else {
      reader.queuedBytes -= chunk.length
      this.#bytes -= chunk.length
      reader.read(chunk, atMs)
    }
    return true
  }

  #compact(): void {
    this.#entries.splice(0, this.#head)
    this.#head = 0
  }
}

function ignore(): void {}
