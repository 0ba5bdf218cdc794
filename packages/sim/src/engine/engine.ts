/**
 * A continuous-batching engine as a reducer over step boundaries: it owns no clock. Whoever drives it says at which
 * instant a step begins, gets the step's duration from the law, lets that time pass (really, or by adding a number) and
 * says that the step ended. The same code so runs an hour of load in a second and a live server.
 *
 * The scheduling follows vLLM's: running sequences first, in order of admission (one token each, or the next chunk of
 * their prompt), then the queue in order of arrival while slots, token budget and KV blocks last. When a running
 * sequence finds no free block, the youngest running one is preempted: it loses its blocks, goes to the head of the
 * queue, and later recomputes its prompt and everything it had produced. All tokens of a step leave at its end.
 */
import { decodeStepMs, hiccupMs, prefillChunkMs, type ServerLaw } from '../model/law.ts'
import { type Chance, seededChance, unitMeanFactor } from '../random.ts'
import { BlockPool } from './block-pool.ts'
import { PrefixCache } from './prefix-cache.ts'
import { isDecoding, newSequence, pendingTokens, type Sequence, type SequenceRequest } from './sequence.ts'
import { type EngineCounters, type StepContent, zeroCounters } from './step-content.ts'
import { WaitingQueue } from './waiting-queue.ts'

const BLOCK_TOKENS_WITHOUT_KV_LAW = 16
const PREFIX_BLOCKS_WITHOUT_KV_LAW = 65_536

export class Engine {
  readonly law: ServerLaw
  readonly counters: EngineCounters = zeroCounters()
  readonly #waiting = new WaitingQueue()
  readonly #blocks: BlockPool
  readonly #prefixCache: PrefixCache | null
  readonly #stepChance: Chance
  readonly #prefillChance: Chance
  #running: Sequence[] = []
  #maxNumSeqs: number
  #nextId = 0
  #step: StepContent | null = null
  /** Of the step being planned. */
  #budgetTokens = 0
  #prefillMs = 0
  #prefillTokens = 0
  #preemptedThisStep = false

  constructor(law: ServerLaw, seed: number) {
    this.law = law
    this.#maxNumSeqs = law.maxNumSeqs
    this.#blocks = new BlockPool(law.kv)
    this.#prefixCache = law.prefixCache
      ? new PrefixCache(law.kv?.blocks ?? PREFIX_BLOCKS_WITHOUT_KV_LAW)
      : null
    this.#stepChance = seededChance(seed, 'step noise')
    this.#prefillChance = seededChance(seed, 'prefill noise')
  }

  /** Tokens per KV block, for whoever hashes prompts into prefix blocks. */
  get blockTokens(): number {
    return this.law.kv?.blockTokens ?? BLOCK_TOKENS_WITHOUT_KV_LAW
  }

  /** How many sequences were ever submitted; the next one's id. */
  get submittedCount(): number {
    return this.#nextId
  }

  get maxNumSeqs(): number {
    return this.#maxNumSeqs
  }

  get runningCount(): number {
    return this.#running.length
  }

  get waitingCount(): number {
    return this.#waiting.size
  }

  /** Arrival of the request at the head of the queue, null when nobody waits. */
  get firstWaitingSinceMs(): number | null {
    return this.#waiting.first()?.arrivedAtMs ?? null
  }

  /** Held blocks / all blocks; 0 when memory has no limit. */
  get kvUsageFraction(): number {
    return this.#blocks.usageFraction
  }

  /** The step under way, null between steps. */
  get currentStep(): StepContent | null {
    return this.#step
  }

  /** Takes effect at the next step: sequences that already run are not thrown out. */
  setMaxNumSeqs(maxNumSeqs: number): void {
    if (!(Number.isInteger(maxNumSeqs) && maxNumSeqs >= 1)) {
      throw new RangeError(`maxNumSeqs must be a whole number >= 1, got ${maxNumSeqs}`)
    }
    this.#maxNumSeqs = maxNumSeqs
  }

  clearPrefixCache(): void {
    this.#prefixCache?.clear()
  }

  /** True when this sequence could ever run to its end. */
  fits(request: { readonly inputTokens: number; readonly outputTokens: number }): boolean {
    // The last token produced is never fed back, so its keys and values are never stored.
    return this.#blocks.couldHold(request.inputTokens + request.outputTokens - 1)
  }

  /** @throws RangeError on lengths that are no whole numbers >= 1, or that exceed the KV cache */
  submit(request: SequenceRequest): Sequence {
    if (!(Number.isInteger(request.inputTokens) && request.inputTokens >= 1)) {
      throw new RangeError(`inputTokens must be a whole number >= 1, got ${request.inputTokens}`)
    }
    if (!(Number.isInteger(request.outputTokens) && request.outputTokens >= 1)) {
      throw new RangeError(`outputTokens must be a whole number >= 1, got ${request.outputTokens}`)
    }
    if (!this.fits(request)) {
      throw new RangeError(`${request.inputTokens} + ${request.outputTokens} tokens exceed the KV cache`)
    }
    const factor = unitMeanFactor(this.law.noise.prefillCv, this.#prefillChance)
    const sequence = newSequence(this.#nextId++, request, factor)
    this.#waiting.append(sequence)
    return sequence
  }

  /** The client has gone: the sequence leaves at once. A step under way still takes its time. */
  cancel(sequence: Sequence): void {
    if (sequence.state === 'waiting') this.#waiting.remove(sequence)
    if (sequence.state === 'running') this.#running = this.#running.filter((other) => other !== sequence)
    if (sequence.state === 'finished') return
    this.#blocks.release(sequence)
    sequence.state = 'cancelled'
  }

  /**
   * Plans the step that begins at `atMs`.
   *
   * @returns its duration in ms, or null when there is nothing to do
   * @throws Error when a step is under way
   */
  beginStep(atMs: number): number | null {
    if (this.#step !== null) throw new Error('beginStep was called while a step is under way')
    this.#budgetTokens = this.law.maxNumBatchedTokens ?? Number.POSITIVE_INFINITY
    this.#prefillMs = 0
    this.#prefillTokens = 0
    this.#preemptedThisStep = false
    const decode = this.#scheduleRunning()
    this.#admitWaiting(atMs)
    if (this.#running.length === 0) return null
    const plainMs = decodeStepMs(this.law, decode.batch, decode.contextTokens) + this.#prefillMs
    const noisyMs = plainMs * unitMeanFactor(this.law.noise.stepCv, this.#stepChance)
    const durationMs = noisyMs + hiccupMs(this.law, atMs, noisyMs)
    this.#step = {
      startedAtMs: atMs,
      durationMs,
      decodeBatch: decode.batch,
      prefillTokens: this.#prefillTokens,
      running: this.#running.length,
    }
    return durationMs
  }

  /**
   * Ends the step under way: every sequence that it carried to its next token gets that token, all at `atMs`.
   *
   * @param onToken called once per token; a sequence whose state is then `finished` has got its last one
   * @throws Error when no step is under way
   */
  endStep(atMs: number, onToken: (sequence: Sequence) => void): void {
    if (this.#step === null) throw new Error('endStep was called without a step under way')
    this.#step = null
    this.counters.steps++
    let someLeft = false
    // A callback may submit or cancel: both leave this array as it is, and a cancelled sequence is passed over.
    for (const sequence of this.#running) {
      if (sequence.state !== 'running' || !this.#advance(sequence, atMs)) continue
      if (sequence.state !== 'running') someLeft = true
      onToken(sequence)
    }
    if (someLeft) this.#running = this.#running.filter(({ state }) => state === 'running')
  }

  #scheduleRunning(): { batch: number; contextTokens: number } {
    let batch = 0
    let contextTokens = 0
    // The list shrinks from its end while this runs: preemption takes the youngest.
    for (let index = 0; index < this.#running.length; index++) {
      const sequence = this.#running[index] as Sequence
      sequence.scheduledTokens = 0
      const tokens = Math.min(pendingTokens(sequence), this.#budgetTokens)
      if (tokens < 1 || !this.#secureBlocks(sequence, tokens)) continue
      if (isDecoding(sequence)) {
        batch++
        contextTokens += sequence.computedTokens
        sequence.scheduledTokens = 1
        this.#budgetTokens--
      } else this.#schedulePrefill(sequence, tokens)
    }
    return { batch, contextTokens }
  }

  #admitWaiting(atMs: number): void {
    if (this.#preemptedThisStep) return
    while (this.#running.length < this.#maxNumSeqs && this.#budgetTokens >= 1) {
      const sequence = this.#waiting.first()
      if (sequence === null || sequence.arrivedAtMs > atMs) return
      const cachedTokens = this.#cachedTokens(sequence)
      const tokens = Math.min(pendingTokens(sequence) - cachedTokens, this.#budgetTokens)
      if (!this.#blocks.grow(sequence, cachedTokens + tokens)) return
      this.#waiting.removeFirst()
      sequence.cachedTokens = cachedTokens
      sequence.computedTokens = cachedTokens
      sequence.state = 'running'
      sequence.admittedAtMs ??= atMs
      this.counters.prefixQueriedTokens += this.#prefixCache === null ? 0 : sequence.inputTokens
      this.counters.prefixHitTokens += cachedTokens
      this.#running.push(sequence)
      this.#schedulePrefill(sequence, tokens)
    }
  }

  #schedulePrefill(sequence: Sequence, tokens: number): void {
    const from = sequence.computedTokens
    const first = from === sequence.cachedTokens
    this.#prefillMs += sequence.prefillFactor * prefillChunkMs(this.law, { from, to: from + tokens, first })
    this.#prefillTokens += tokens
    this.#budgetTokens -= tokens
    sequence.scheduledTokens = tokens
  }

  /** Gets the blocks that `tokens` more tokens need, preempting from the young end. False: it was preempted itself. */
  #secureBlocks(sequence: Sequence, tokens: number): boolean {
    while (!this.#blocks.grow(sequence, sequence.computedTokens + tokens)) {
      const victim = this.#running[this.#running.length - 1] as Sequence
      this.#preempt(victim)
      if (victim === sequence) return false
    }
    return true
  }

  #preempt(victim: Sequence): void {
    this.#running.pop()
    this.#blocks.release(victim)
    victim.state = 'waiting'
    victim.computedTokens = 0
    victim.scheduledTokens = 0
    victim.preemptions++
    this.counters.preemptions++
    this.#preemptedThisStep = true
    this.#waiting.prepend(victim)
  }

  /** True when the sequence got a token. */
  #advance(sequence: Sequence, atMs: number): boolean {
    if (sequence.scheduledTokens === 0) return false
    sequence.computedTokens += sequence.scheduledTokens
    sequence.scheduledTokens = 0
    if (pendingTokens(sequence) > 0) return false
    if (sequence.firstTokenAtMs === null) this.#notePromptComputed(sequence, atMs)
    sequence.producedTokens++
    sequence.lastTokenAtMs = atMs
    this.counters.generatedTokens++
    if (sequence.producedTokens === sequence.outputTokens) {
      sequence.state = 'finished'
      this.#blocks.release(sequence)
    }
    return true
  }

  #notePromptComputed(sequence: Sequence, atMs: number): void {
    sequence.firstTokenAtMs = atMs
    this.counters.promptTokens += sequence.inputTokens
    this.#prefixCache?.remember(sequence.prefixHashes)
  }

  #cachedTokens(sequence: Sequence): number {
    if (this.#prefixCache === null) return 0
    const tokens = this.#prefixCache.leadingHits(sequence.prefixHashes) * this.blockTokens
    // The last prompt token is always computed: the first answer token comes out of it.
    return Math.min(tokens, sequence.inputTokens - 1)
  }
}
