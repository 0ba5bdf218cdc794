/**
 * A load process from the inside: takes an order, gets ready, drives the step when told to, and hands over the result.
 * It talks through a function, so that only `process/child` knows of the IPC channel.
 */
import { randomInt } from 'node:crypto'
import type { CalibrationReadings } from '@loadcurve/core/metrics/sample'
import { calibrate } from './calibrate.ts'
import { MonotonicClock, ShiftedClock } from './clock.ts'
import { StepDrive } from './drive.ts'
import { HealthMonitor } from './health.ts'
import { forkMetronome, type MetronomeProcess } from './process/fork-metronome.ts'
import type { LoadMessage, OwnerMessage } from './process/messages.ts'
import type { Conversation } from './prompts/dataset.ts'
import { loadConversations, requestSupply } from './request-supply.ts'
import type { DriveResult, StepOrder } from './step-order.ts'
import { stepTargetOptions } from './step-target.ts'
import { openTarget } from './target/agent.ts'
import { withTrace } from './trace-file.ts'

interface Ready {
  readonly order: StepOrder
  readonly metronome: MetronomeProcess | null
  readonly calibration: CalibrationReadings | null
  readonly conversations: readonly Conversation[] | null
}

export class LoadSession {
  readonly #env: Readonly<Record<string, string | undefined>>
  readonly #tell: (message: LoadMessage) => void
  readonly #clock = new MonotonicClock()
  readonly #abort = new AbortController()
  #ready: Ready | null = null
  #drive: StepDrive | null = null

  constructor(env: Readonly<Record<string, string | undefined>>, tell: (message: LoadMessage) => void) {
    this.#env = env
    this.#tell = tell
  }

  /** Handles everything but `kill`. Whatever goes wrong is told to the owner. */
  async handle(message: Exclude<OwnerMessage, { type: 'kill' }>): Promise<void> {
    try {
      await this.#obey(message)
    } catch (error) {
      this.#tell({
        type: 'failed',
        code: codeOf(error),
        message: error instanceof Error ? error.message : String(error),
      })
    }
  }

  async #obey(message: Exclude<OwnerMessage, { type: 'kill' }>): Promise<void> {
    switch (message.type) {
      case 'order':
        this.#ready = await this.#prepare(message.order)
        return this.#tell({ type: 'ready', calibration: this.#ready.calibration })
      case 'go':
        return this.#go(message.startAtMs)
      case 'extend':
        this.#drive?.extend(message.untilMs)
        return
      case 'abort':
        this.#abort.abort()
        if (this.#drive === null)
          this.#tell({ type: 'failed', code: 'aborted', message: 'aborted before the start' })
    }
  }

  async #prepare(given: StepOrder): Promise<Ready> {
    const dataDir = this.#env['LOADCURVE_DATA_DIR'] ?? '.'
    const order = await withTrace(given, dataDir)
    const conversations = await loadConversations(order, dataDir)
    if (!order.calibrate) return { order, conversations, metronome: null, calibration: null }
    const metronome = await forkMetronome()
    const calibration = await calibrate({
      clock: this.#clock,
      streamPort: metronome.streamPort,
      streams: inFlightMaxOf(order),
    })
    return { order, conversations, metronome, calibration }
  }

  async #go(startAtMs: number): Promise<void> {
    if (this.#ready === null) throw new Error('told to go before there was an order')
    const { end, record } = await this.#driveStep(this.#ready, startAtMs)
    this.#tell({ type: 'result', end, record })
  }

  async #driveStep(ready: Ready, startAtMs: number): Promise<DriveResult> {
    const { order, metronome, calibration, conversations } = ready
    const clock = new ShiftedClock(this.#clock, startAtMs)
    const health = new HealthMonitor(this.#clock)
    const target = openTarget({
      ...stepTargetOptions(order, { env: this.#env, nowMs: () => clock.nowMs() }),
      connections: inFlightMaxOf(order),
      onBatchLag: health.onBatchLag,
    })
    try {
      await health.start(metronome?.beatPort ?? null)
      this.#drive = new StepDrive(order, {
        clock,
        prepare: requestSupply({ order, target, conversations, salt: randomInt(2 ** 32) }),
        connections: () => target.readings(),
        health,
        calibration,
        // All connections at once: undici would open a new one for each request that is cancelled alone.
        onStop: () => void target.close(),
        onProgress: (progress) => this.#tell({ type: 'progress', progress }),
        aborted: this.#abort.signal,
      })
      await clock.sleepUntilMs(0, this.#abort.signal)
      return await this.#drive.run()
    } finally {
      health.stop()
      metronome?.stop()
      await target.close()
    }
  }
}

/** The most requests that this shard keeps in flight. */
function inFlightMaxOf(order: StepOrder): number {
  const { level, part } = order
  return level.concurrency === null
    ? order.inFlightMax
    : Math.max(1, Math.ceil(level.concurrency / part.shards))
}

function codeOf(error: unknown): string {
  if (error instanceof RangeError) return 'order-invalid'
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code
  return 'load-process-error'
}
