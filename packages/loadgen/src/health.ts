/**
 * The load generator's own health, while it drives a step. A client that is late reads its own delay as the server's,
 * and CPU does not show it: receive lag of hundreds of milliseconds was seen while the process used a third of a core.
 * So lateness itself is measured, in four ways:
 *
 * - Event-loop delay: how late a timer fires. Sees whatever blocks the loop, but not a loop that is merely busy.
 * - Beats: the metronome, another process, writes the instant to a socket at random moments; stamp minus instant is the
 *   lag of a chunk that becomes readable at a random moment. Sees everything, in proportion to its share of time.
 * - Batches: sockets that became readable together are read one after the other, and all but the first wait. Weighs by
 *   events where beats weigh by time, so it sees short bursts that beats mostly miss.
 * - Turns: a beat that is read late says that the event loop was away, and all chunks of the same turn waited with it.
 *   Beats alone weigh such a pause by its time: two pauses of 10 ms in four seconds are half a per cent of the beats,
 *   but each may have held up a whole burst.
 *
 * The receive lag is the largest of the last three.
 */
import { connect, type Socket } from 'node:net'
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import type { Clock } from './clock.ts'
import { LagHistogram } from './lag-histogram.ts'

export interface HealthReadings {
  readonly eventLoopDelayP99Ms: number
  readonly receiveLagP99Ms: number | null
  /** CPU time over wall time: 1 is one core. */
  readonly cpuFraction: number
  readonly cpuUs: number
}

const resolutionMs = 5
const beatBytes = 8

/** Watches over this process between `start` and `stop`. */
export class HealthMonitor {
  readonly #clock: Clock
  readonly #delay: IntervalHistogram = monitorEventLoopDelay({ resolution: resolutionMs })
  readonly #beatLag = new LagHistogram()
  readonly #batchLag = new LagHistogram()
  readonly #turnLag = new LagHistogram()
  /** Of this turn of the event loop: chunks that were read, and the lag of its latest beat. */
  #turnChunks = 0
  #turnBeatLagMs = 0
  #turnEnds = false
  #beats: Socket | null = null
  #startedAtMs = 0
  #cpuAtStart: NodeJS.CpuUsage = { user: 0, system: 0 }

  /** @param clock the machine's monotonic clock: beats carry its instants */
  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @param beatPort the metronome's, null when there is none */
  async start(beatPort: number | null): Promise<void> {
    if (beatPort !== null) this.#beats = await this.#listenToBeats(beatPort)
    this.reset()
    this.#delay.enable()
  }

  /** Forgets what was seen so far: the window opens. */
  reset(): void {
    this.#delay.reset()
    this.#beatLag.reset()
    this.#batchLag.reset()
    this.#turnLag.reset()
    this.#startedAtMs = this.#clock.nowMs()
    this.#cpuAtStart = process.cpuUsage()
  }

  /** A chunk was stamped this long after the first one of its batch. */
  readonly onBatchLag = (lagMs: number): void => {
    this.#batchLag.record(lagMs)
    this.#turnChunks++
    this.#awaitTurnEnd()
  }

  readings(): HealthReadings {
    const cpu = process.cpuUsage(this.#cpuAtStart)
    const cpuUs = cpu.user + cpu.system
    const wallMs = this.#clock.nowMs() - this.#startedAtMs
    return {
      // The monitor counts whole intervals: its own resolution is in each of them.
      eventLoopDelayP99Ms: Math.max(0, this.#delay.percentile(99) / 1e6 - resolutionMs),
      receiveLagP99Ms: largest(
        [this.#beatLag, this.#batchLag, this.#turnLag].map((lag) => lag.percentileMs(99)),
      ),
      cpuFraction: wallMs > 0 ? cpuUs / 1000 / wallMs : 0,
      cpuUs,
    }
  }

  stop(): void {
    this.#delay.disable()
    this.#beats?.destroy()
  }

  #onBeat(lagMs: number): void {
    this.#beatLag.record(lagMs)
    if (lagMs > this.#turnBeatLagMs) this.#turnBeatLagMs = lagMs
    this.#awaitTurnEnd()
  }

  #awaitTurnEnd(): void {
    if (this.#turnEnds) return
    this.#turnEnds = true
    setImmediate(this.#endTurn)
  }

  readonly #endTurn = (): void => {
    this.#turnEnds = false
    if (this.#turnChunks > 0) this.#turnLag.record(this.#turnBeatLagMs, this.#turnChunks)
    this.#turnChunks = 0
    this.#turnBeatLagMs = 0
  }

  async #listenToBeats(port: number): Promise<Socket> {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    let rest: Buffer = Buffer.alloc(0)
    socket.on('error', () => socket.destroy())
    socket.on('data', (data: Buffer) => {
      const nowMs = this.#clock.nowMs()
      rest = rest.length === 0 ? data : Buffer.concat([rest, data])
      for (; rest.length >= beatBytes; rest = rest.subarray(beatBytes)) {
        this.#onBeat(Math.max(0, nowMs - rest.readDoubleLE(0)))
      }
    })
    await new Promise<void>((resolve) => {
      socket.once('connect', resolve)
      socket.once('close', resolve)
    })
    return socket
  }
}

function largest(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : Math.max(...known)
}
