/**
 * Time as the load generator sees it. Every wait and every stamp goes through a {@link Clock}, so that the executors
 * can be tested in virtual time: an hour of load in a fraction of a second, always with the same result.
 *
 * Real instants are milliseconds of the machine's monotonic clock, the same one in every process of the machine: a
 * start instant can be agreed between load processes, and a client's stamp compared with a server's.
 */
import { performance } from 'node:perf_hooks'

export interface Clock {
  /** The present instant, ms. Only differences, and comparisons on the same machine, mean anything. */
  nowMs(): number
  /**
   * Resolves at the instant, or as soon as the signal is aborted; at once when the instant has passed. Never rejects:
   * whoever passed a signal looks at it.
   */
  sleepUntilMs(atMs: number, signal?: AbortSignal): Promise<void>
}

// A Node timer fires 0.6 to 1 ms late at the median (it counts whole milliseconds), so the last stretch is spun.
const spinMs = 1
// setTimeout takes 32-bit milliseconds and fires at once beyond them.
const timerMaxMs = 2 ** 31 - 1

/**
 * The machine's monotonic clock (CLOCK_MONOTONIC, as `process.hrtime`).
 *
 * A sleep is a timer that ends up to 1 ms early, then a spin to the instant. The spin goes through `setImmediate`
 * rather than a busy loop: each turn polls the sockets, so that nothing which arrives meanwhile is stamped late.
 */
export class MonotonicClock implements Clock {
  // performance.now() counts from the start of the process and costs a third of hrtime: shift it once.
  readonly #offsetMs = monotonicOffsetMs()

  nowMs(): number {
    return performance.now() + this.#offsetMs
  }

  sleepUntilMs(atMs: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted || atMs <= this.nowMs()) return Promise.resolve()
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined
      let immediate: NodeJS.Immediate | undefined
      const finish = (): void => {
        clearTimeout(timer)
        clearImmediate(immediate)
        signal?.removeEventListener('abort', finish)
        resolve()
      }
      const approach = (): void => {
        const restMs = atMs - this.nowMs()
        if (restMs <= 0) finish()
        else if (restMs <= spinMs) immediate = setImmediate(approach)
        else timer = setTimeout(approach, Math.min(restMs - spinMs, timerMaxMs))
      }
      signal?.addEventListener('abort', finish, { once: true })
      approach()
    })
  }
}

/** A clock whose zero is another clock's instant: step time, where 0 is the start of the step. */
export class ShiftedClock implements Clock {
  readonly #clock: Clock
  readonly #zeroAtMs: number

  constructor(clock: Clock, zeroAtMs: number) {
    this.#clock = clock
    this.#zeroAtMs = zeroAtMs
  }

  nowMs(): number {
    return this.#clock.nowMs() - this.#zeroAtMs
  }

  sleepUntilMs(atMs: number, signal?: AbortSignal): Promise<void> {
    return this.#clock.sleepUntilMs(atMs + this.#zeroAtMs, signal)
  }
}

function monotonicOffsetMs(): number {
  // The smallest of a few differences: a pause between the two readings only ever adds.
  let offsetMs = Infinity
  for (let trial = 0; trial < 16; trial++) {
    const before = performance.now()
    offsetMs = Math.min(offsetMs, Number(process.hrtime.bigint()) / 1e6 - before)
  }
  return offsetMs
}
