/**
 * Drives the engine in real time. Each step ends at an absolute instant, its predecessor's end plus its own duration,
 * and the next step begins at that nominal instant however late the timer was. Lateness therefore does not add up, and
 * mean step times hold. What was late is counted, so that a test can tell whose fault a delay is.
 *
 * Node's timers err by a millisecond and sometimes by six. The driver wakes up early and lets the event loop turn (it
 * still reads and writes sockets) until the instant has come.
 */

import type { Engine } from './engine.ts'
import { monotonicMs } from './monotonic-clock.ts'
import type { Sequence, SequenceRequest } from './sequence.ts'
import type { StepContent } from './step-content.ts'

/** How a step went in reality. */
export interface RealStep extends StepContent {
  /** Nominal end, and the instants just before the first and after the last of its tokens left. */
  readonly dueAtMs: number
  readonly handedFromMs: number
  readonly handedToMs: number
  readonly tokens: number
}

export interface RealTimeListener {
  onToken(sequence: Sequence): void
  /** All tokens of a step have been told: now they leave. */
  onTokensTold(): void
  onStep(step: RealStep): void
}

/** A timer set this early is rarely late; the rest of the wait turns the event loop. */
const WAKE_EARLY_MS = 1
/** More overdue steps than this in one go would starve the sockets. */
const STEPS_PER_TURN_MAX = 4
/** A process that was stopped for longer does not catch up; it goes on from now, and counts it. */
const CATCH_UP_MAX_MS = 1000

export class RealTimeDriver {
  readonly #engine: Engine
  readonly #listener: RealTimeListener
  #stepEndsAtMs: number | null = null
  #timer: NodeJS.Timeout | null = null
  #turn: NodeJS.Immediate | null = null
  #resyncs = 0
  #closed = false

  constructor(engine: Engine, listener: RealTimeListener) {
    this.#engine = engine
    this.#listener = listener
  }

  /** How often the schedule was given up because the process had been stopped. */
  get resyncs(): number {
    return this.#resyncs
  }

  /** The sequences of one request arrive together; an idle engine starts on all of them at once. */
  submit(requests: readonly Omit<SequenceRequest, 'arrivedAtMs'>[]): Sequence[] {
    const arrivedAtMs = monotonicMs()
    const sequences = requests.map((request) => this.#engine.submit({ ...request, arrivedAtMs }))
    if (this.#stepEndsAtMs === null) this.#begin(arrivedAtMs)
    return sequences
  }

  cancel(sequence: Sequence): void {
    this.#engine.cancel(sequence)
  }

  close(): void {
    this.#closed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    if (this.#turn !== null) clearImmediate(this.#turn)
  }

  #begin(atMs: number): void {
    const durationMs = this.#engine.beginStep(atMs)
    this.#stepEndsAtMs = durationMs === null ? null : atMs + durationMs
    if (this.#stepEndsAtMs !== null) this.#sleep()
  }

  #sleep(): void {
    if (this.#closed || this.#stepEndsAtMs === null) return
    const remainingMs = this.#stepEndsAtMs - monotonicMs()
    if (remainingMs > WAKE_EARLY_MS + 1) {
      this.#timer = setTimeout(() => this.#wake(), Math.floor(remainingMs - WAKE_EARLY_MS))
    } else this.#turn = setImmediate(() => this.#wake())
  }

  #wake(): void {
    for (let steps = 0; steps < STEPS_PER_TURN_MAX; steps++) {
      const nowMs = monotonicMs()
      if (this.#closed || this.#stepEndsAtMs === null) return
      if (nowMs < this.#stepEndsAtMs) break
      this.#finishStep(this.#stepEndsAtMs, nowMs)
    }
    this.#sleep()
  }

  #finishStep(dueAtMs: number, nowMs: number): void {
    const content = this.#engine.currentStep as StepContent
    let tokens = 0
    this.#engine.endStep(dueAtMs, (sequence) => {
      tokens++
      this.#listener.onToken(sequence)
    })
    const handedFromMs = monotonicMs()
    this.#listener.onTokensTold()
    this.#listener.onStep({ ...content, dueAtMs, handedFromMs, handedToMs: monotonicMs(), tokens })
    const stopped = nowMs - dueAtMs > CATCH_UP_MAX_MS
    if (stopped) this.#resyncs++
    const nextAtMs = stopped ? nowMs : dueAtMs
    const durationMs = this.#engine.beginStep(nextAtMs)
    if (durationMs !== null) this.#stepEndsAtMs = nextAtMs + durationMs
    else this.#rest(nowMs)
  }

  /** Nothing to do at the nominal instant; but a request may have arrived between it and now. */
  #rest(nowMs: number): void {
    this.#stepEndsAtMs = null
    const sinceMs = this.#engine.firstWaitingSinceMs
    if (sinceMs === null) return
    const durationMs = this.#engine.beginStep(Math.min(sinceMs, nowMs))
    if (durationMs !== null) this.#stepEndsAtMs = Math.min(sinceMs, nowMs) + durationMs
  }
}
