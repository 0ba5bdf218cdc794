/** What a run in virtual time leaves behind. Instants are virtual ms from the start of the run. */
import type { LengthLaw } from '../model/lengths.ts'
import type { Engine } from './engine.ts'
import type { Sequence } from './sequence.ts'

/** What the requests of a run ask for. */
export interface Workload {
  readonly inputTokens: LengthLaw
  readonly outputTokens: LengthLaw
}

/** One request that ended. */
export interface VirtualRequest {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly arrivedAtMs: number
  readonly firstTokenAtMs: number
  readonly lastTokenAtMs: number
}

export interface VirtualRun {
  /** The measured window: after the warm-up, to the end of the run. */
  readonly windowStartMs: number
  readonly windowEndMs: number
  /**
   * The measured requests, in order of their end: the first so many that arrived after the warm-up. The run goes on,
   * under load, until the last of them has ended. To take those that end first instead would drop the long ones.
   */
  readonly requests: readonly VirtualRequest[]
  /** Requests that ended inside the window, whenever they arrived: the count behind a throughput. */
  readonly completions: number
  readonly tokens: number
  /** Time averages over the window. */
  readonly decodeBatchMean: number
  readonly runningMean: number
  readonly waitingMean: number
  readonly steps: number
  readonly preemptions: number
  /** Open loop only: the queue passed its bound, the load cannot be sustained, and the run was stopped. */
  readonly overloaded: boolean
}

/** Adds up a run while it goes; whoever drives the engine calls it at every step. */
export class RunRecorder {
  readonly #engine: Engine
  readonly #requestsMax: number
  /** Ids of the measured requests begin here. */
  #firstId = 0
  #windowStartMs: number | null = null
  #requests: VirtualRequest[] = []
  #completions = 0
  #tokens = 0
  #decodeMs = 0
  #runningMs = 0
  #waitingMs = 0
  #steps = 0
  #preemptionsBefore = 0

  /** @param requests how many requests to measure */
  constructor(engine: Engine, requests: number) {
    this.#engine = engine
    this.#requestsMax = requests
  }

  /** Every measured request has ended. */
  get complete(): boolean {
    return this.#requests.length === this.#requestsMax
  }

  openWindow(atMs: number): void {
    this.#windowStartMs = atMs
    this.#firstId = this.#engine.submittedCount
    this.#preemptionsBefore = this.#engine.counters.preemptions
  }

  /** Call after `beginStep`. */
  noteStep(durationMs: number): void {
    const step = this.#engine.currentStep
    if (this.#windowStartMs === null || step === null) return
    this.#steps++
    this.#decodeMs += step.decodeBatch * durationMs
    this.#runningMs += step.running * durationMs
    this.#waitingMs += this.#engine.waitingCount * durationMs
  }

  noteToken(sequence: Sequence): void {
    if (this.#windowStartMs === null) return
    this.#tokens++
    if (sequence.state !== 'finished') return
    this.#completions++
    const { id, inputTokens, outputTokens, arrivedAtMs, firstTokenAtMs, lastTokenAtMs } = sequence
    const measured = id >= this.#firstId && id < this.#firstId + this.#requestsMax
    if (!measured || firstTokenAtMs === null || lastTokenAtMs === null) return
    this.#requests.push({ inputTokens, outputTokens, arrivedAtMs, firstTokenAtMs, lastTokenAtMs })
  }

  finish(atMs: number, overloaded: boolean): VirtualRun {
    const startMs = this.#windowStartMs ?? atMs
    const spanMs = atMs - startMs
    const timeMean = (sumMs: number) => (spanMs > 0 ? sumMs / spanMs : 0)
    return {
      windowStartMs: startMs,
      windowEndMs: atMs,
      requests: this.#requests,
      completions: this.#completions,
      tokens: this.#tokens,
      decodeBatchMean: timeMean(this.#decodeMs),
      runningMean: timeMean(this.#runningMs),
      waitingMean: timeMean(this.#waitingMs),
      steps: this.#steps,
      preemptions: this.#engine.counters.preemptions - this.#preemptionsBefore,
      overloaded,
    }
  }
}
