/**
 * A closed loop in virtual time: N clients, each with one request in flight, the next sent when the last one ended (and
 * its think time passed). A plain loop over step boundaries; no promises, no timers.
 *
 * The clients do not start together. Were they to, equal answers would keep them in lockstep for ever: all prefill in
 * one step, all decode in the next ones. Each first answer is cut to a uniform part of its length, so the clients begin
 * as an observer would find them in the midst of a long run.
 */
import type { ServerLaw } from '../model/law.ts'
import { drawLength } from '../model/lengths.ts'
import { type Chance, seededChance } from '../random.ts'
import { Engine } from './engine.ts'
import { RunRecorder, type VirtualRun, type Workload } from './virtual-run.ts'

export interface ClosedLoopOptions {
  readonly law: ServerLaw
  readonly workload: Workload
  readonly concurrency: number
  /** Requests to measure, >= 1: the first ones sent after the warm-up. */
  readonly requests: number
  readonly seed: number
  /** Requests per client, on average, that end before the window opens; default 2. */
  readonly warmupPerClient?: number
  /** Exponential think time with this mean, ms; default 0. */
  readonly thinkTimeMs?: number
  /** How long every request is on its way to the engine, ms, which is part of its latency; default 0. */
  readonly delayMs?: number
}

/** @throws RangeError when concurrency or requests is no whole number >= 1 */
export function runClosedLoop(options: ClosedLoopOptions): VirtualRun {
  requireCount('concurrency', options.concurrency)
  requireCount('requests', options.requests)
  const loop = new ClosedLoop(options)
  return loop.run()
}

class ClosedLoop {
  readonly #options: ClosedLoopOptions
  readonly #engine: Engine
  readonly #recorder: RunRecorder
  readonly #lengths: Chance
  readonly #thinking: Chance
  /** Instants at which thinking clients come back, unordered. At most one per client. */
  #returnsAtMs: number[] = []
  #endedRequests = 0

  constructor(options: ClosedLoopOptions) {
    this.#options = options
    this.#engine = new Engine(options.law, options.seed)
    this.#recorder = new RunRecorder(this.#engine, options.requests)
    this.#lengths = seededChance(options.seed, 'lengths')
    this.#thinking = seededChance(options.seed, 'think time')
  }

  run(): VirtualRun {
    const { concurrency, warmupPerClient = 2 } = this.#options
    for (let client = 0; client < concurrency; client++) this.#send(0, this.#lengths())
    const warmup = concurrency * warmupPerClient
    let nowMs = 0
    let warm = false
    while (!this.#recorder.complete) {
      if (!warm && this.#endedRequests >= warmup) {
        warm = true
        this.#recorder.openWindow(nowMs)
      }
      this.#welcomeReturning(nowMs)
      nowMs = this.#step(nowMs)
    }
    return this.#recorder.finish(nowMs, false)
  }

  /** One engine step, or a wait for the next client when nothing runs; gives the instant after it. */
  #step(nowMs: number): number {
    const durationMs = this.#engine.beginStep(nowMs)
    if (durationMs === null) return Math.min(...this.#returnsAtMs)
    this.#recorder.noteStep(durationMs)
    const endsAtMs = nowMs + durationMs
    this.#engine.endStep(endsAtMs, (sequence) => {
      this.#recorder.noteToken(sequence)
      if (sequence.state === 'finished') this.#requestEnded(endsAtMs)
    })
    return endsAtMs
  }

  #requestEnded(atMs: number): void {
    this.#endedRequests++
    const { thinkTimeMs = 0, delayMs = 0 } = this.#options
    if (thinkTimeMs === 0 && delayMs === 0) this.#send(atMs, 1)
    else this.#returnsAtMs.push(atMs + delayMs - thinkTimeMs * Math.log(1 - this.#thinking()))
  }

  #welcomeReturning(nowMs: number): void {
    if (this.#returnsAtMs.length === 0) return
    const back = this.#returnsAtMs.filter((atMs) => atMs <= nowMs).sort((a, b) => a - b)
    this.#returnsAtMs = this.#returnsAtMs.filter((atMs) => atMs > nowMs)
    for (const atMs of back) this.#send(atMs, 1)
  }

  #send(arrivedAtMs: number, lengthFraction: number): void {
    const { inputTokens, outputTokens } = this.#options.workload
    const output = drawLength(outputTokens, this.#lengths)
    this.#engine.submit({
      inputTokens: drawLength(inputTokens, this.#lengths),
      outputTokens: Math.max(1, Math.ceil(output * lengthFraction)),
      arrivedAtMs: arrivedAtMs - (this.#options.delayMs ?? 0),
    })
  }
}

function requireCount(name: string, value: number): void {
  if (!(Number.isInteger(value) && value >= 1))
    throw new RangeError(`${name} must be a whole number >= 1, got ${value}`)
}
