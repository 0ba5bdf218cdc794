import { describe, expect, test } from 'vitest'
import { type ChunkReader, ParseQueue } from '../../src/wire/parse-queue.ts'

/** A clock that moves only when a chunk is read, by a quarter of a millisecond, and a schedule that is stepped by hand. */
function bench(options: { bytesMax?: number; streamBytesMax?: number } = {}) {
  let nowMs = 0
  const scheduled: (() => void)[] = []
  const log: string[] = []
  const queue = new ParseQueue({ nowMs: () => nowMs, schedule: (run) => scheduled.push(run), ...options })
  const reader = (name: string): ChunkReader => ({
    queuedBytes: 0,
    read: (chunk, atMs) => {
      nowMs += 0.25
      log.push(`${name} ${chunk} @${atMs}`)
    },
    end: () => log.push(`${name} end`),
  })
  return { queue, scheduled, log, reader, turn: () => scheduled.shift()?.() }
}

describe('parse queue', () => {
  test('receiving reads nothing; each stream is read in order, with its stamps', () => {
    const { queue, log, reader, scheduled, turn } = bench()
    const [a, b] = [reader('a'), reader('b')]
    queue.push(a, Buffer.from('1'), 10)
    queue.push(b, Buffer.from('1'), 11)
    queue.push(a, Buffer.from('2'), 12)
    queue.end(a, 13)
    expect(log).toEqual([])
    expect(scheduled).toHaveLength(1)
    turn()
    expect(log).toEqual(['a 1 @10', 'b 1 @11', 'a 2 @12', 'a end'])
  })

  test('a slice ends after half a millisecond, and the rest waits for another turn of the loop', () => {
    const { queue, log, reader, scheduled, turn } = bench()
    const a = reader('a')
    for (let i = 0; i < 10; i++) queue.push(a, Buffer.from('x'), i)
    turn()
    // The clock is looked at after every fourth chunk.
    expect(log).toHaveLength(4)
    expect(scheduled).toHaveLength(1)
    turn()
    turn()
    expect(log).toHaveLength(10)
    expect(scheduled).toHaveLength(0)
    expect(queue.bytes).toBe(0)
  })

  test('at the bound of all streams the oldest chunks are read at once, nothing is lost, and it is counted', () => {
    const { queue, log, reader, turn } = bench({ bytesMax: 10 })
    const [a, b] = [reader('a'), reader('b')]
    queue.push(a, Buffer.alloc(6), 1)
    queue.push(b, Buffer.alloc(6), 2)
    expect(log).toHaveLength(1)
    expect(queue).toMatchObject({ bytes: 6, peakBytes: 12, boundReached: 1 })
    turn()
    expect(log).toHaveLength(2)
  })

  test('at the bound of one stream the queue is read until it is below', () => {
    const { queue, log, reader } = bench({ streamBytesMax: 10 })
    const [a, b] = [reader('a'), reader('b')]
    queue.push(b, Buffer.alloc(9), 1)
    queue.push(a, Buffer.alloc(6), 2)
    queue.push(a, Buffer.alloc(6), 3)
    expect(log).toHaveLength(2)
    expect(a.queuedBytes).toBe(6)
    expect(queue.boundReached).toBe(1)
  })

  test('a long backlog is consumed in order over many slices', () => {
    const { queue, log, reader, turn, scheduled } = bench()
    const a = reader('a')
    for (let i = 0; i < 5000; i++) queue.push(a, Buffer.from(`${i}`), i)
    while (scheduled.length > 0) turn()
    expect(log).toEqual(Array.from({ length: 5000 }, (_, i) => `a ${i} @${i}`))
  })

  test('what has waited for long is parsed in longer slices, so that a process in trouble still parses', () => {
    const { queue, log, reader, turn } = bench()
    const a = reader('a')
    // Received 40 ms before the clock's zero: a tenth of the wait is 4 ms, and a chunk takes a quarter of one.
    for (let i = 0; i < 30; i++) queue.push(a, Buffer.from('x'), -40)
    turn()
    expect(log).toHaveLength(16)
  })

  test('draining parses all that waits, in order, without another turn', () => {
    const { queue, log, reader } = bench()
    const a = reader('a')
    for (let i = 0; i < 50; i++) queue.push(a, Buffer.from('x'), i)
    queue.end(a, 50)
    queue.drain()
    expect(log).toHaveLength(51)
    expect(log.at(-1)).toBe('a end')
    expect(queue.bytes).toBe(0)
  })
})
