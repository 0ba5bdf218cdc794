/**
 * Deadlines of the requests in flight, watched by one sweep every 100 ms instead of by a timer per stream: at
 * thousands of events per second, moving a timer for each of them would cost more than reading them.
 * So a deadline is passed at most one sweep late.
 */

export interface Deadlines {
  /** From the dispatch until the request is handed to a connected socket, ms. */
  readonly connectMs: number
  /** From sending until the first byte of the answer, ms. */
  readonly firstByteMs: number
  /** Longest silence inside an answer, ms. A comment or any other byte ends it. */
  readonly betweenEventsMs: number
  /** From sending until the end of the answer, ms. */
  readonly totalMs: number
  /** Longest wait for `[DONE]` and usage once every sequence has its finish reason, ms. Not a failure. */
  readonly lingerMs: number
  /** Longest wait for the transport to end after `[DONE]`, ms. Not a failure, but the slot is held until then. */
  readonly lingerDoneMs: number
}

export const DEFAULT_DEADLINES: Deadlines = {
  connectMs: 10_000,
  firstByteMs: 120_000,
  betweenEventsMs: 60_000,
  totalMs: 600_000,
  lingerMs: 1_000,
  lingerDoneMs: 200,
}

/** What a request in flight shows to the sweep. */
export interface Waiting {
  readonly dispatchedAtMs: number
  readonly sentAtMs: number | null
  readonly firstByteAtMs: number | null
  readonly lastByteAtMs: number | null
  /** When the answer was complete by its own words (`[DONE]`, a finish reason), null before. */
  readonly completeAtMs: number | null
  /** `[DONE]` was seen. */
  readonly done: boolean
}

export type PassedDeadline =
  | 'connect_timeout'
  | 'first_byte_timeout'
  | 'idle_timeout'
  | 'total_timeout'
  | 'linger_over'

/** The deadline that this request has passed at `nowMs`, or null. */
export function passedDeadline(waiting: Waiting, deadlines: Deadlines, nowMs: number): PassedDeadline | null {
  const { sentAtMs, firstByteAtMs, lastByteAtMs, completeAtMs } = waiting
  if (sentAtMs === null)
    return nowMs - waiting.dispatchedAtMs > deadlines.connectMs ? 'connect_timeout' : null
  const lingerMs = waiting.done ? deadlines.lingerDoneMs : deadlines.lingerMs
  if (completeAtMs !== null) return nowMs - completeAtMs > lingerMs ? 'linger_over' : null
  if (nowMs - sentAtMs > deadlines.totalMs) return 'total_timeout'
  if (firstByteAtMs === null) return nowMs - sentAtMs > deadlines.firstByteMs ? 'first_byte_timeout' : null
  return nowMs - (lastByteAtMs ?? firstByteAtMs) > deadlines.betweenEventsMs ? 'idle_timeout' : null
}

export interface Sweepable extends Waiting {
  onDeadline(passed: PassedDeadline): void
}

const SWEEP_EVERY_MS = 100

/** The requests in flight, swept while there are any. */
export class DeadlineSweep {
  readonly #inFlight = new Set<Sweepable>()
  readonly #deadlines: Deadlines
  readonly #nowMs: () => number
  #timer: NodeJS.Timeout | null = null

  constructor(deadlines: Deadlines, nowMs: () => number) {
    this.#deadlines = deadlines
    this.#nowMs = nowMs
  }

  get size(): number {
    return this.#inFlight.size
  }

  add(request: Sweepable): void {
    this.#inFlight.add(request)
    // After a hold-up of this process, timers come before sockets: what waits to be read must not count as silence.
    this.#timer ??= setInterval(() => setImmediate(() => this.sweep()), SWEEP_EVERY_MS)
  }

  delete(request: Sweepable): void {
    this.#inFlight.delete(request)
    if (this.#inFlight.size > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }

  /** Tells every request that has passed a deadline. */
  sweep(): void {
    const nowMs = this.#nowMs()
    for (const request of [...this.#inFlight]) {
      const passed = passedDeadline(request, this.#deadlines, nowMs)
      if (passed !== null) request.onDeadline(passed)
    }
  }

  /** The requests in flight now. */
  list(): Sweepable[] {
    return [...this.#inFlight]
  }
}
