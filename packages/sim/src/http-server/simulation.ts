/** The live server without its sockets: engine, driver, books. One per `startSimulator`. */
import { Engine } from '../engine/engine.ts'
import { RealTimeDriver } from '../engine/real-time.ts'
import type { Sequence, SequenceRequest } from '../engine/sequence.ts'
import { type ChosenFault, drawFault } from '../faults/catalogue.ts'
import { type Chance, seededChance } from '../random.ts'
import { newServerMetrics, type ServerMetrics } from './metrics-text.ts'
import type { ResolvedOptions } from './options.ts'
import { Outbox } from './outbox.ts'
import { RequestLog } from './request-log.ts'
import { StepLog } from './step-log.ts'

export class Simulation {
  readonly options: ResolvedOptions
  readonly engine: Engine
  readonly driver: RealTimeDriver
  readonly outbox = new Outbox()
  readonly steps = new StepLog()
  readonly requests = new RequestLog()
  readonly metrics: ServerMetrics = newServerMetrics()
  readonly #faultChance: Chance
  #requestCount = 0
  /** Ends of requests that are open now: a restart calls each of them. */
  readonly #open = new Set<() => void>()
  #restartTimer: NodeJS.Timeout | null = null

  constructor(options: ResolvedOptions) {
    this.options = options
    this.engine = new Engine(options.law, options.seed)
    this.driver = new RealTimeDriver(this.engine, {
      onToken: (sequence) => sequence.onToken?.(sequence),
      onTokensTold: () => this.outbox.flush(),
      onStep: (step) => this.steps.add(step),
    })
    this.#faultChance = seededChance(options.seed, 'faults')
  }

  get ready(): boolean {
    return this.#restartTimer === null
  }

  get openRequests(): number {
    return this.#open.size
  }

  nextRequestNumber(): number {
    return this.#requestCount++
  }

  drawFault(): ChosenFault | null {
    // One draw per request, with or without faults, keeps the others where they are when a fraction changes.
    return drawFault(this.options.faults, this.#faultChance())
  }

  /** @param abort what a restart does to the request */
  opened(abort: () => void): void {
    this.#open.add(abort)
  }

  ended(abort: () => void): void {
    this.#open.delete(abort)
  }

  submit(requests: readonly Omit<SequenceRequest, 'arrivedAtMs'>[]): Sequence[] {
    return this.driver.submit(requests)
  }

  cancel(sequence: Sequence): void {
    this.driver.cancel(sequence)
  }

  /** Like a redeployed server: what runs is cut off, the caches are cold, and it is not ready for a while. */
  restart(maxNumSeqs: number): void {
    this.engine.setMaxNumSeqs(maxNumSeqs)
    for (const abort of [...this.#open]) abort()
    this.engine.clearPrefixCache()
    if (this.#restartTimer !== null) clearTimeout(this.#restartTimer)
    this.#restartTimer = setTimeout(() => {
      this.#restartTimer = null
    }, this.options.restartMs)
  }

  close(): void {
    if (this.#restartTimer !== null) clearTimeout(this.#restartTimer)
    this.driver.close()
  }
}
