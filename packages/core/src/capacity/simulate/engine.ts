/**
 * A discrete-event simulation of one replica with continuous batching.
 *
 * Each engine step gives one token to every running request and, when prompts wait and a place is free, does prefill
 * work for the first of them; that step is longer by that work. A prompt whose last chunk is done has its first token
 * at the end of the step and decodes from the next one on. Prompts are served in order of arrival.
 *
 * The simulation skips: between two events (an arrival, an end, a full KV cache) all steps are alike, so they are taken
 * at once. The cost is that of the requests and their prefill steps, not that of the tokens, and an answer of 10,000
 * tokens is as cheap as one of 10.
 *
 * When the KV cache is full, the request admitted last gives its place back and computes its prompt and its tokens so
 * far again later, at the head of the queue (recompute, as vLLM does it).
 */
import type { EngineModel } from './engine-model.ts'
import { FinishHeap } from './finish-heap.ts'
import { emptyGapLog, type GapLog } from './gaps.ts'
import type { Traffic } from './traffic.ts'

/** What happened to each request, by index; NaN while unknown. Instants in ms on the clock of the arrivals. */
export interface RequestLog {
  readonly arrivedAtMs: Float64Array
  readonly firstAtMs: Float64Array
  readonly endedAtMs: Float64Array
  readonly outputTokens: Float64Array
}

export interface SimulationLog {
  readonly requests: RequestLog
  readonly gaps: GapLog
  /** Integral of the decode batch over time, and of the requests in the engine, ms. */
  readonly decodeBatchMs: number
  readonly admittedMs: number
  /** First arrival to last event, ms. */
  readonly elapsedMs: number
  readonly preemptions: number
  /** False: the simulation gave up at its bound of steps, with requests unfinished. */
  readonly complete: boolean
}

/** Prompts share a step up to this many tokens where the server's own limit is unknown: the smallest common default. */
const SHARED_STEP_TOKENS = 2048

/** Simulates until every request of the traffic has ended, or `eventsMax` engine events have passed. */
export function simulateEngine(engine: EngineModel, traffic: Traffic, eventsMax = Infinity): SimulationLog {
  const run = new EngineRun(engine, traffic)
  for (let events = 0; events < eventsMax; events++) {
    if (!run.advance()) return run.log(true)
  }
  return run.log(false)
}

class EngineRun {
  readonly #engine: EngineModel
  readonly #traffic: Traffic
  readonly #requests: RequestLog
  readonly #gaps = emptyGapLog()
  readonly #running = new FinishHeap()
  /** Arrived, not admitted; a queue with a moving head. Preempted ones come back in `#preempted`, newest first. */
  readonly #waiting: number[] = []
  #waitingHead = 0
  readonly #preempted: number[] = []
  /** The admitted prompt whose prefill is not over, and its tokens still to do. */
  #partial: { readonly request: number; tokensLeft: number } | null = null
  /** Requests in order of admission, with ended ones left in until they surface. */
  readonly #admitted: number[] = []
  /** Tokens to prefill and tokens still to produce; a preemption changes both. */
  readonly #promptTokens: Float64Array
  readonly #tokensLeft: Float64Array
  #kvUsed = 0
  #nowMs = 0
  #startMs = Number.NaN
  #step = 0
  #decodeBatchMs = 0
  #admittedMs = 0
  #preemptions = 0

  constructor(engine: EngineModel, traffic: Traffic) {
    this.#engine = engine
    this.#traffic = traffic
    const blank = (): Float64Array => new Float64Array(traffic.requests).fill(Number.NaN)
    this.#requests = {
      arrivedAtMs: blank(),
      firstAtMs: blank(),
      endedAtMs: blank(),
      outputTokens: traffic.outputTokens,
    }
    this.#promptTokens = Float64Array.from(traffic.inputTokens)
    this.#tokensLeft = Float64Array.from(traffic.outputTokens)
  }

  /** One event; false when nothing is left to do. */
  advance(): boolean {
    this.#takeArrivals()
    if (this.#running.size === 0 && !this.#hasPrompt()) {
      const nextMs = this.#traffic.nextArrivalMs()
      if (nextMs === Infinity) return false
      this.#nowMs = Math.max(this.#nowMs, nextMs)
      if (Number.isNaN(this.#startMs)) this.#startMs = this.#nowMs
      return true
    }
    this.#makeRoom()
    const prefill = this.#takePrefill()
    if (prefill === null) this.#decodeOnly()
    else this.#mixedStep(prefill)
    this.#endFinished()
    return true
  }

  log(complete: boolean): SimulationLog {
    return {
      requests: this.#requests,
      gaps: this.#gaps,
      decodeBatchMs: this.#decodeBatchMs,
      admittedMs: this.#admittedMs,
      elapsedMs: this.#nowMs - (Number.isNaN(this.#startMs) ? 0 : this.#startMs),
      preemptions: this.#preemptions,
      complete,
    }
  }

  #takeArrivals(): void {
    while (this.#traffic.nextArrivalMs() <= this.#nowMs) {
      const atMs = this.#traffic.nextArrivalMs()
      const request = this.#traffic.takeArrival()
      // It set out earlier, by the delay before the engine.
      this.#requests.arrivedAtMs[request] = atMs - this.#engine.overheadMs
      this.#waiting.push(request)
    }
  }

  #hasPrompt(): boolean {
    return this.#partial !== null || this.#preempted.length > 0 || this.#waitingHead < this.#waiting.length
  }

  /** Prefill of this step: its work, and the requests whose prompt is then done. Null: nothing to prefill. */
  #takePrefill(): { workMs: number; done: number[] } | null {
    const whole = this.#engine.stepTokens === null
    const budget = (this.#engine.stepTokens ?? SHARED_STEP_TOKENS) - this.#running.size
    let tokens = 0
    let workMs = 0
    const done: number[] = []
    while (tokens < budget || tokens === 0) {
      const prompt = this.#partial ?? this.#admit(done.length, budget - tokens)
      if (prompt === null) break
      const all = this.#promptTokens[prompt.request] as number
      const take = whole ? prompt.tokensLeft : Math.min(prompt.tokensLeft, Math.max(1, budget - tokens))
      workMs += (this.#engine.prefillWorkMs(all) * this.#traffic.workFactor(prompt.request) * take) / all
      tokens += take
      prompt.tokensLeft -= take
      this.#partial = prompt.tokensLeft > 0 ? prompt : null
      if (this.#partial !== null) break
      done.push(prompt.request)
    }
    return tokens > 0 ? { workMs, done } : null
  }

  /** The next prompt that finds a slot and KV places, or null. */
  #admit(alreadyDone: number, budget: number): { readonly request: number; tokensLeft: number } | null {
    if (this.#running.size + alreadyDone >= this.#engine.slots) return null
    const request = this.#preempted.at(-1) ?? this.#waiting[this.#waitingHead]
    if (request === undefined) return null
    const tokens = this.#promptTokens[request] as number
    const alone = this.#running.size + alreadyDone === 0
    if (this.#engine.stepTokens === null && alreadyDone > 0 && tokens > budget) return null
    // A prompt that cannot ever fit is served alone rather than blocking the queue for good.
    if (!alone && this.#kvUsed + tokens + 1 > (this.#engine.kvTokens ?? Infinity)) return null
    if (this.#preempted.length > 0) this.#preempted.pop()
    else this.#waitingHead++
    this.#kvUsed += tokens
    this.#admitted.push(request)
    return { request, tokensLeft: tokens }
  }

  #decodeOnly(): void {
    const batch = this.#running.size
    const stepMs = this.#engine.decodeMs[batch] as number
    const toArrival = (this.#traffic.nextArrivalMs() - this.#nowMs) / stepMs
    const room = ((this.#engine.kvTokens ?? Infinity) - this.#kvUsed) / batch
    const ending = this.#running.nextStep - this.#step
    const steps = Math.max(1, Math.min(ending, Math.ceil(toArrival), Math.floor(room)))
    this.#pass(steps, { stepMs, holding: batch })
  }

  #mixedStep({ workMs, done }: { readonly workMs: number; readonly done: readonly number[] }): void {
    const batch = this.#running.size
    const stepMs = (this.#engine.decodeMs[batch] as number) + workMs
    this.#pass(1, { stepMs, holding: batch + done.length + (this.#partial === null ? 0 : 1) })
    for (const request of done) this.#begin(request)
  }

  #pass(steps: number, { stepMs, holding }: { readonly stepMs: number; readonly holding: number }): void {
    const elapsedMs = steps * stepMs
    const batch = this.#running.size
    if (batch > 0) {
      this.#gaps.ms.push(stepMs)
      this.#gaps.gaps.push(steps * batch)
      this.#gaps.batch.push(batch)
    }
    this.#decodeBatchMs += batch * elapsedMs
    this.#admittedMs += holding * elapsedMs
    this.#kvUsed += steps * batch
    this.#nowMs += elapsedMs
    this.#step += steps
  }

  // The prompt is done, and with it one token.
  #begin(request: number): void {
    const left = (this.#tokensLeft[request] as number) - 1
    this.#tokensLeft[request] = left
    this.#kvUsed += 1
    if (Number.isNaN(this.#requests.firstAtMs[request] as number))
      this.#requests.firstAtMs[request] = this.#nowMs
    this.#running.push(this.#step + left, request)
  }

  #endFinished(): void {
    while (this.#running.nextStep <= this.#step) {
      const request = this.#running.pop()
      this.#requests.endedAtMs[request] = this.#nowMs
      this.#kvUsed -= (this.#promptTokens[request] as number) + (this.#tokensLeft[request] as number) + 1
      this.#tokensLeft[request] = 0
      this.#traffic.ended(request, this.#nowMs)
    }
  }

  // Before a step that would overflow the cache, the request admitted last is put back.
  #makeRoom(): void {
    const kvTokens = this.#engine.kvTokens
    if (kvTokens === null) return
    while (this.#running.size > 1 && this.#kvUsed + this.#running.size > kvTokens) {
      const request = this.#lastAdmitted()
      if (request === undefined) return
      const left = this.#running.remove(request) - this.#step
      const made = (this.#tokensLeft[request] as number) - left + 1
      this.#kvUsed -= (this.#promptTokens[request] as number) + made
      this.#promptTokens[request] = (this.#promptTokens[request] as number) + made
      this.#tokensLeft[request] = left
      this.#preempted.push(request)
      this.#preemptions++
    }
  }

  /** The running request that was admitted last; a prompt still in prefill keeps its place in the order. */
  #lastAdmitted(): number | undefined {
    const partial = this.#partial?.request
    let last = this.#admitted.pop()
    const skipped = last !== undefined && last === partial
    if (skipped) last = this.#admitted.pop()
    while (last !== undefined && !Number.isNaN(this.#requests.endedAtMs[last] as number)) {
      last = this.#admitted.pop()
    }
    if (skipped && partial !== undefined) this.#admitted.push(partial)
    return last
  }
}
