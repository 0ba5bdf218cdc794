/**
 * Virtual time: a clock that stands still while anything can still happen, and then jumps to the next instant that
 * somebody waits for. Sleepers wake in the order of their instants, and in the order in which they went to sleep
 * where the instants are equal, so a run is the same every time.
 */
import type { Clock } from './clock.ts'

interface Sleeper {
  readonly atMs: number
  readonly order: number
  readonly wake: () => void
}

export class VirtualClock implements Clock {
  #nowMs: number
  #order = 0
  readonly #sleepers = new SleeperHeap()

  constructor(startMs = 0) {
    this.#nowMs = startMs
  }

  nowMs(): number {
    return this.#nowMs
  }

  sleepUntilMs(atMs: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted || atMs <= this.#nowMs) return Promise.resolve()
    return new Promise((resolve) => {
      const wake = (): void => {
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      // A sleeper woken by its signal stays in the heap; waking it a second time does nothing.
      signal?.addEventListener('abort', wake, { once: true })
      this.#sleepers.push({ atMs, order: this.#order++, wake })
    })
  }

  /**
   * Lets time pass until the promise settles, and hands its result on.
   *
   * @throws Error when everybody waits for something that no instant will bring
   */
  async run<T>(promise: Promise<T>): Promise<T> {
    let settled = false
    const settle = (): void => {
      settled = true
    }
    promise.then(settle, settle)
    for (;;) {
      // setImmediate runs after all microtasks: by then everything that this instant causes has happened.
      await new Promise<void>((resolve) => setImmediate(resolve))
      if (settled) return promise
      const sleeper = this.#sleepers.pop()
      if (sleeper === undefined)
        throw new Error('virtual time stands still: nobody sleeps, yet the promise is pending')
      this.#nowMs = Math.max(this.#nowMs, sleeper.atMs)
      sleeper.wake()
    }
  }
}

/** A binary heap: an hour of load has tens of thousands of sleepers. */
class SleeperHeap {
  readonly #items: Sleeper[] = []

  push(item: Sleeper): void {
    const items = this.#items
    let index = items.length
    items.push(item)
    while (index > 0) {
      const parentIndex = (index - 1) >> 1
      const parent = items[parentIndex]
      if (parent === undefined || !isBefore(item, parent)) break
      items[index] = parent
      index = parentIndex
    }
    items[index] = item
  }

  pop(): Sleeper | undefined {
    const items = this.#items
    const first = items[0]
    const last = items.pop()
    if (first === undefined || last === undefined || items.length === 0) return first
    let index = 0
    for (;;) {
      const child = this.#earlierChild(index)
      if (child === undefined || !isBefore(child.item, last)) break
      items[index] = child.item
      index = child.index
    }
    items[index] = last
    return first
  }

  #earlierChild(index: number): { readonly item: Sleeper; readonly index: number } | undefined {
    const left = this.#items[2 * index + 1]
    const right = this.#items[2 * index + 2]
    if (left === undefined) return undefined
    if (right !== undefined && isBefore(right, left)) return { item: right, index: 2 * index + 2 }
    return { item: left, index: 2 * index + 1 }
  }
}

function isBefore(a: Sleeper, b: Sleeper): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)
}
