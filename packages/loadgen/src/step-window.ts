/**
 * Who is measured. A step passes through three phases while the load never stops:
 *
 *     warm-up            window [t0, t1)                     tail
 *     |- untagged -------|- every request that starts here --|- untagged, until the last tagged one has ended -|
 *
 * Nothing drains between them: slots hand over, so that the first measured request meets a full server and the last
 * one still finishes in one. A request belongs to the phase in which it starts: in closed loop when it is dispatched,
 * in open loop when the schedule wants it sent. The drain limit bounds the tail; whoever is cut there is a timeout.
 *
 * The window opens when the warm-up is long enough and enough requests have ended, and closes when it is long enough
 * and enough requests have started. Both are also bounded by a longest duration. A window that closes by count ends at
 * the instant at which the first request starts that it no longer measures, so that it holds whole intervals.
 */
import type { Sample } from '@loadcurve/core/metrics/sample'

export type Phase = Sample['phase']

export interface WindowRules {
  /** The window opens at the earliest after `durationMs`, once `endedMin` requests have ended, at the latest after `maxMs`. */
  readonly warmup: { readonly durationMs: number; readonly endedMin: number; readonly maxMs: number }
  /** Shortest window, ms. */
  readonly durationMs: number
  /** Fewest measured requests (of this shard). 0: the duration alone decides. */
  readonly requestsMin: number
  /** Longest window, whatever else was asked, ms. */
  readonly maxMs: number
  /** Longest tail, ms: a measured request that is still running then is cut, and is a timeout. */
  readonly drainMaxMs: number
}

export type StepEnd = 'measured' | 'drain-limit'

/** The state of one shard's window. Instants are step time, ms. */
export class StepWindow {
  readonly #rules: WindowRules
  #durationMs: number
  #openAtMs: number
  #closedAtMs: number | null = null
  #enoughAtMs: number | null
  #endedCount = 0
  #measuredCount = 0
  #measuredInFlight = 0
  #nextStartAtMs = Infinity
  #end: StepEnd | null = null

  constructor(rules: WindowRules) {
    requireRules(rules)
    this.#rules = rules
    this.#durationMs = rules.durationMs
    this.#enoughAtMs = rules.requestsMin === 0 ? -Infinity : null
    const { warmup } = rules
    this.#openAtMs = warmup.endedMin === 0 ? Math.min(warmup.durationMs, warmup.maxMs) : warmup.maxMs
  }

  /** t0: the planned opening while the warm-up still runs. */
  get openAtMs(): number {
    return this.#openAtMs
  }

  /** t1, null while the window is open or not yet open. */
  get closedAtMs(): number | null {
    return this.#closedAtMs
  }

  /** How the step ended; null while load is still to be kept up. */
  get end(): StepEnd | null {
    return this.#end
  }

  get measuredCount(): number {
    return this.#measuredCount
  }

  get measuredInFlight(): number {
    return this.#measuredInFlight
  }

  /** The phase of an instant: `window` in [t0, t1). Final for every instant up to the present one. */
  phaseAt(atMs: number): Phase {
    if (atMs < this.#openAtMs) return 'warmup'
    return atMs < (this.#closedAtMs ?? this.#closesAtMs()) ? 'window' : 'tail'
  }

  /** Asks to start a request now: the phase it belongs to, or null when no more load is needed. */
  admit(atMs: number): Phase | null {
    this.advance(atMs)
    if (this.#closedAtMs === null && this.#enoughAtMs !== null && atMs >= this.#openAtMs + this.#durationMs) {
      this.#close(atMs)
    }
    if (this.#end !== null) return null
    const phase = this.phaseAt(atMs)
    if (phase === 'window') {
      this.#measuredCount++
      this.#measuredInFlight++
      if (this.#measuredCount === this.#rules.requestsMin) this.#enoughAtMs = atMs
    }
    return phase
  }

  /** A request that was admitted has ended. */
  ended(phase: Phase, atMs: number): void {
    this.#endedCount++
    if (this.#endedCount === this.#rules.warmup.endedMin) {
      const { durationMs } = this.#rules.warmup
      this.#openAtMs = Math.min(this.#openAtMs, Math.max(durationMs, atMs))
    }
    this.dropped(phase, atMs)
  }

  /** A request that was admitted was not sent after all. */
  dropped(phase: Phase, atMs: number): void {
    if (phase === 'window') this.#measuredInFlight--
    this.advance(atMs)
  }

  /** A start is planned for this instant: the step is not over before it, should it still lie in the window. */
  expect(nextStartAtMs: number): void {
    this.#nextStartAtMs = nextStartAtMs
  }

  /** Time has passed: closes the window and ends the tail where their instants are reached. */
  advance(atMs: number): void {
    if (this.#closedAtMs === null && atMs >= this.#closesAtMs()) this.#closedAtMs = this.#closesAtMs()
    if (this.#closedAtMs === null || this.#end !== null) return
    // A schedule that is late may still owe the window a start.
    const isOwed = this.#nextStartAtMs < this.#closedAtMs
    if (this.#measuredInFlight === 0 && !isOwed) this.#end = 'measured'
    else if (atMs >= this.#closedAtMs + this.#rules.drainMaxMs) this.#end = 'drain-limit'
  }

  /** The schedule has no more arrivals: the window closes now. */
  exhausted(atMs: number): void {
    this.#nextStartAtMs = Infinity
    if (this.#closedAtMs === null) this.#close(Math.max(atMs, this.#openAtMs))
    this.advance(atMs)
  }

  /**
   * Moves the end of the window to a later instant, within the longest duration.
   *
   * @returns whether it did; a window that has closed stays closed
   */
  extend(untilMs: number, nowMs: number): boolean {
    this.advance(nowMs)
    if (this.#closedAtMs !== null) return false
    this.#durationMs = Math.max(this.#durationMs, untilMs - this.#openAtMs)
    return true
  }

  /** The earliest instant at which time alone changes something, for whoever watches over the step. */
  nextChangeAtMs(): number {
    if (this.#closedAtMs !== null) return this.#closedAtMs + this.#rules.drainMaxMs
    return this.#closesAtMs()
  }

  // With enough requests the duration decides; without, the longest duration, or the next start (see admit).
  #closesAtMs(): number {
    const longestMs = this.#openAtMs + this.#rules.maxMs
    const shortestMs = this.#openAtMs + this.#durationMs
    const isEnoughInTime = this.#enoughAtMs !== null && this.#enoughAtMs < shortestMs
    return isEnoughInTime ? Math.min(shortestMs, longestMs) : longestMs
  }

  #close(atMs: number): void {
    this.#closedAtMs = Math.min(atMs, this.#closesAtMs())
    this.advance(atMs)
  }
}

function requireRules(rules: WindowRules): void {
  requireBounded('durationMs', rules.durationMs)
  requireBounded('requestsMin', rules.requestsMin)
  requireBounded('maxMs', rules.maxMs)
  requireBounded('drainMaxMs', rules.drainMaxMs)
  requireBounded('warmup.durationMs', rules.warmup.durationMs)
  requireBounded('warmup.endedMin', rules.warmup.endedMin)
  requireBounded('warmup.maxMs', rules.warmup.maxMs)
  if (rules.durationMs === 0 && rules.requestsMin === 0) {
    throw new RangeError('a window needs a duration or a number of requests, got neither')
  }
}

function requireBounded(name: string, value: number): void {
  if (!(value >= 0 && value < Infinity))
    throw new RangeError(`${name} must be at least 0 and finite, got ${value}`)
}
