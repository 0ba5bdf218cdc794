/**
 * An open loop in virtual time: requests arrive whether or not earlier ones have ended, as independent users do. The
 * run is a merge of two sequences of instants, arrivals and step ends.
 *
 * Arrivals and lengths come from random sequences of their own, so that two runs with one seed at different rates meet
 * the same users in the same order, only closer together (common random numbers). A search over rates then compares
 * servers, not luck.
 */
import type { ServerLaw } from '../model/law.ts'
import { drawLength } from '../model/lengths.ts'
import { type Chance, seededChance, unitMeanGamma } from '../random.ts'
import { Engine } from './engine.ts'
import { RunRecorder, type VirtualRun, type Workload } from './virtual-run.ts'

/** Renewal arrivals: gaps are gamma with this coefficient of variation; 1 is Poisson, 0 a fixed pace. */
export interface Arrivals {
  readonly ratePerS: number
  readonly cv: number
}

export interface OpenLoopOptions {
  readonly law: ServerLaw
  readonly workload: Workload
  readonly arrivals: Arrivals
  /** Requests to measure, >= 1. */
  readonly requests: number
  readonly seed: number
  /** Requests sent before the measured ones; default a tenth of them. */
  readonly warmupRequests?: number
  /** The run stops, overloaded, when more than this many requests wait; default 4 * maxNumSeqs + 1,000. */
  readonly waitingMax?: number
}

/** @throws RangeError when a rate is not positive, a cv negative, or a count no whole number >= 1 */
export function runOpenLoop(options: OpenLoopOptions): VirtualRun {
  const { arrivals, requests } = options
  if (!(arrivals.ratePerS > 0)) throw new RangeError(`ratePerS must be positive, got ${arrivals.ratePerS}`)
  if (!(arrivals.cv >= 0)) throw new RangeError(`cv must not be negative, got ${arrivals.cv}`)
  if (!(Number.isInteger(requests) && requests >= 1)) {
    throw new RangeError(`requests must be a whole number >= 1, got ${requests}`)
  }
  return new OpenLoop(options).run()
}

class OpenLoop {
  readonly #options: OpenLoopOptions
  readonly #engine: Engine
  readonly #recorder: RunRecorder
  readonly #gaps: Chance
  readonly #lengths: Chance
  #nextArrivalAtMs = 0
  #arrived = 0

  constructor(options: OpenLoopOptions) {
    this.#options = options
    this.#engine = new Engine(options.law, options.seed)
    this.#recorder = new RunRecorder(this.#engine, options.requests)
    this.#gaps = seededChance(options.seed, 'arrivals')
    this.#lengths = seededChance(options.seed, 'lengths')
  }

  run(): VirtualRun {
    const { requests, warmupRequests = Math.ceil(requests / 10) } = this.#options
    const waitingMax = this.#options.waitingMax ?? 4 * this.#options.law.maxNumSeqs + 1000
    this.#nextArrivalAtMs = this.#drawGapMs()
    let nowMs = 0
    let warm = false
    // Load goes on until the last measured request has ended: nobody finishes in an emptying server.
    while (!this.#recorder.complete) {
      this.#receive(nowMs)
      if (!warm && this.#arrived >= warmupRequests) {
        warm = true
        this.#recorder.openWindow(nowMs)
      }
      if (this.#engine.waitingCount > waitingMax) return this.#recorder.finish(nowMs, true)
      nowMs = this.#step(nowMs)
    }
    return this.#recorder.finish(nowMs, false)
  }

  #step(nowMs: number): number {
    const durationMs = this.#engine.beginStep(nowMs)
    if (durationMs === null) return this.#nextArrivalAtMs
    this.#recorder.noteStep(durationMs)
    this.#engine.endStep(nowMs + durationMs, (sequence) => this.#recorder.noteToken(sequence))
    return nowMs + durationMs
  }

  #receive(nowMs: number): void {
    const { inputTokens, outputTokens } = this.#options.workload
    while (this.#nextArrivalAtMs <= nowMs) {
      this.#engine.submit({
        inputTokens: drawLength(inputTokens, this.#lengths),
        outputTokens: drawLength(outputTokens, this.#lengths),
        arrivedAtMs: this.#nextArrivalAtMs,
      })
      this.#arrived++
      this.#nextArrivalAtMs += this.#drawGapMs()
    }
  }

  #drawGapMs(): number {
    const { ratePerS, cv } = this.#options.arrivals
    const factor = cv === 0 ? 1 : cv === 1 ? -Math.log(1 - this.#gaps()) : unitMeanGamma(cv, this.#gaps)
    return (1000 / ratePerS) * factor
  }
}
