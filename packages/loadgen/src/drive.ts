/**
 * Drives one shard of a step: starts the executor, follows every request, watches over the window, and hands back the
 * record. It knows nothing of processes, sockets or prompts; those are handed in, and so is time.
 */
import { setMaxListeners } from 'node:events'
import { arrivals } from '@loadcurve/core/load/arrivals'
import { arrivalProcessOf } from '@loadcurve/core/load/plan-arrivals'
import { dealConcurrency, dealSchedule } from '@loadcurve/core/load/split'
import type { CalibrationReadings, GeneratorReadings, ShardRecord } from '@loadcurve/core/metrics/sample'
import { seededRandom } from '@loadcurve/core/random'
import type { Clock } from './clock.ts'
import { type Dispatch, runClosedLoop } from './executors/closed-loop.ts'
import { type Arrival, runOpenLoop } from './executors/open-loop.ts'
import type { HealthReadings } from './health.ts'
import { ProgressTally } from './progress-tally.ts'
import { type Asked, Recorder, type RequestRecord } from './recorder.ts'
import type { DriveEnd, DriveResult, Progress, StepOrder } from './step-order.ts'
import { StepWindow } from './step-window.ts'
import type { ExchangeHooks, ExchangeResult } from './target/result.ts'

/** One request, ready to be sent. */
export interface PreparedRequest {
  readonly asked: Asked
  /** Resolves when the answer has been read, calls `onConnectionFree` in any case; never rejects. */
  send(hooks: ExchangeHooks): Promise<ExchangeResult>
}

export interface DriveParts {
  /** Step time: 0 is the start of the step. */
  readonly clock: Clock
  /** The request with this place in the schedule of the whole step: the same one, whichever shard sends it. */
  readonly prepare: (index: number) => PreparedRequest
  readonly connections: () => ConnectionReadings
  /** Null in virtual time, where nothing can be late. */
  readonly health: { reset(): void; readings(): HealthReadings } | null
  readonly calibration: CalibrationReadings | null
  /** Called a few times a second. The samples that it carries are not in the record any more. */
  readonly onProgress: ((progress: Progress) => void) | null
  /** No more load is needed: connections may be cut. */
  readonly onStop: () => void
  /** The owner's abort. */
  readonly aborted: AbortSignal
}

export interface ConnectionReadings {
  readonly connectionsOpened: number
  readonly retries: number
  readonly parseQueuePeakBytes: number
}

const watchEveryMs = 50
const progressEveryMs = 250
// A target that fails at once must not be asked again at once: a slot rests until this long after its failed start.
const failedRestMs = 50

/** One shard of one step, from its start to its record. */
export class StepDrive {
  readonly #order: StepOrder
  readonly #parts: DriveParts
  readonly #window: StepWindow
  readonly #recorder: Recorder
  readonly #tally: ProgressTally
  /** Aborted when no more load is needed or wanted; cuts what is still in flight. */
  readonly #stop = new AbortController()
  readonly #unread = new Set<Promise<boolean>>()
  #isWindowSeen = false
  #windowHealth: HealthReadings | null = null

  constructor(order: StepOrder, parts: DriveParts) {
    this.#order = order
    this.#parts = parts
    this.#window = new StepWindow(order.window)
    this.#recorder = new Recorder(this.#window, order.level.concurrency === null ? 'scheduled' : 'dispatched')
    this.#tally = new ProgressTally(this.#recorder, this.#window)
    // Every request in flight and every resting slot listens.
    setMaxListeners(0, this.#stop.signal)
  }

  /** Drives the step to its end. Call it once, when the clock is about to reach 0. */
  async run(): Promise<DriveResult> {
    const { aborted } = this.#parts
    const onAbort = (): void => this.#halt()
    aborted.addEventListener('abort', onAbort, { once: true })
    if (aborted.aborted) this.#halt()
    const watching = this.#watch()
    await this.#execute()
    // An answer that has ended on the wire may still have to be read.
    while (this.#unread.size > 0) await Promise.all(this.#unread)
    this.#halt()
    await watching
    aborted.removeEventListener('abort', onAbort)
    return { end: this.#end(), record: this.#record() }
  }

  /** Moves the end of the window, step time, ms; false when it has closed already. */
  extend(untilMs: number): boolean {
    return this.#window.extend(untilMs, this.#parts.clock.nowMs())
  }

  async #execute(): Promise<void> {
    const { level, part, staggerMs, workload } = this.#order
    const common = { clock: this.#parts.clock, window: this.#window, stopped: this.#stop.signal }
    if (level.concurrency !== null) {
      const { shard, shards } = part
      return runClosedLoop({
        ...common,
        slots: dealConcurrency(level.concurrency, part),
        staggerMs,
        thinkTimeMs: () => workload.thinkTimeS * 1000,
        send: (dispatch) => this.#send({ ...dispatch, index: dispatch.index * shards + shard }),
      })
    }
    return runOpenLoop({
      ...common,
      arrivals: arrivalsOf(this.#order),
      inFlightMax: this.#order.inFlightMax,
      send: (dispatch) => this.#send(dispatch),
      drop: (dispatch) => this.#drop(dispatch),
    })
  }

  /** Resolves when the request is over on the wire, so that its slot can go on; reading its answer may take longer. */
  async #send(dispatch: Dispatch): Promise<void> {
    const { clock } = this.#parts
    const request = this.#parts.prepare(dispatch.index)
    const dispatchedAtMs = clock.nowMs()
    const record = this.#recorder.follow(dispatch, request.asked, dispatchedAtMs)
    this.#tally.onStarted()
    const { isFree, isOk } = this.#exchange(request, record)
    await isFree
    this.#tally.onFree()
    if (clock.nowMs() - dispatchedAtMs >= failedRestMs || (await isOk)) return
    await clock.sleepUntilMs(dispatchedAtMs + failedRestMs, this.#stop.signal)
  }

  #exchange(request: PreparedRequest, record: RequestRecord) {
    let free = (): void => {}
    const isFree = new Promise<void>((resolve) => {
      free = resolve
    })
    const { onContentEvent } = record
    const isOk = request
      .send({ onContentEvent, onConnectionFree: () => free(), signal: this.#stop.signal })
      .then((result) => {
        this.#unread.delete(isOk)
        return this.#onRead(record, result)
      })
    this.#unread.add(isOk)
    return { isFree, isOk }
  }

  #onRead(record: RequestRecord, result: ExchangeResult): boolean {
    const sample = record.ended(result, this.#window.end === 'drain-limit')
    this.#tally.onEnded(sample)
    this.#window.ended(sample.phase, this.#parts.clock.nowMs())
    this.#stopAtEnd()
    return sample.outcome === 'ok'
  }

  #drop(dispatch: Dispatch): void {
    this.#recorder.dropped(dispatch, this.#parts.prepare(dispatch.index).asked)
    this.#tally.onDropped()
    this.#stopAtEnd()
  }

  #stopAtEnd(): void {
    if (this.#window.end !== null) this.#halt()
  }

  #halt(): void {
    if (this.#stop.signal.aborted) return
    this.#stop.abort()
    this.#parts.onStop()
  }

  /** Lets time act on the window where no request does, marks its edges for the health readings, and reports. */
  async #watch(): Promise<void> {
    const { clock, onProgress } = this.#parts
    let reportAtMs = progressEveryMs
    while (!this.#stop.signal.aborted) {
      const nextMs = Math.min(clock.nowMs() + watchEveryMs, this.#nextEdgeAtMs())
      await clock.sleepUntilMs(nextMs, this.#stop.signal)
      const nowMs = clock.nowMs()
      this.#window.advance(nowMs)
      this.#watchHealth(nowMs)
      this.#stopAtEnd()
      if (nowMs < reportAtMs) continue
      reportAtMs = nowMs + progressEveryMs
      onProgress?.(this.#tally.snapshot(nowMs, this.#lagP99Ms()))
    }
  }

  /** Receive lag is what falsifies a stamp; the event loop's delay stands for it where no beats come. */
  #lagP99Ms(): number | null {
    const readings = this.#parts.health?.readings() ?? null
    return readings === null ? null : (readings.receiveLagP99Ms ?? readings.eventLoopDelayP99Ms)
  }

  #nextEdgeAtMs(): number {
    const nowMs = this.#parts.clock.nowMs()
    const edges = [this.#window.openAtMs, this.#window.nextChangeAtMs()]
    return Math.min(...edges.filter((atMs) => atMs > nowMs))
  }

  #watchHealth(nowMs: number): void {
    const { health } = this.#parts
    if (health === null) return
    if (!this.#isWindowSeen && nowMs >= this.#window.openAtMs) {
      this.#isWindowSeen = true
      health.reset()
    }
    if (this.#window.closedAtMs !== null) this.#windowHealth ??= health.readings()
  }

  #end(): DriveEnd {
    return this.#window.end ?? 'aborted'
  }

  #record(): ShardRecord {
    const { openAtMs, closedAtMs } = this.#window
    const windowEndMs = closedAtMs ?? Math.max(openAtMs, this.#parts.clock.nowMs())
    return {
      schemaVersion: 1,
      shard: this.#order.part.shard,
      windowStartMs: openAtMs,
      windowEndMs,
      samples: this.#recorder.takeSamples(),
      gapHistogram: this.#recorder.gapHistogram(),
      gapsAreTokenGaps: this.#recorder.gapsAreTokenGaps,
      contentEventBins: this.#recorder.contentEventBins(windowEndMs - openAtMs),
      readings: this.#readings(),
    }
  }

  #readings(): GeneratorReadings {
    const health = this.#windowHealth ?? this.#parts.health?.readings() ?? null
    const events = this.#recorder.contentEventsInWindow
    return {
      eventLoopDelayP99Ms: health?.eventLoopDelayP99Ms ?? 0,
      dispatchSkewP99Ms: this.#recorder.skewP99Ms,
      receiveLagP99Ms: health?.receiveLagP99Ms ?? null,
      cpuFraction: health?.cpuFraction ?? 0,
      cpuUsPerEvent: health === null || events === 0 ? null : health.cpuUs / events,
      droppedArrivals: this.#tally.dropped,
      ...this.#parts.connections(),
      calibration: this.#parts.calibration,
    }
  }
}

/** This shard's entries of the one schedule that all shards share. */
function* arrivalsOf(order: StepOrder): Generator<Arrival> {
  const { level, workload, window, part, seed } = order
  if (level.ratePerS === null) throw new RangeError('an order needs a concurrency or a rate, got neither')
  const stepMs = window.warmup.durationMs + window.durationMs
  const process = arrivalProcessOf(workload.arrival, { ratePerS: level.ratePerS, stepMs })
  for (const { index, value } of dealSchedule(arrivals(process, seededRandom(seed, 'arrivals')), part)) {
    yield { index, atMs: value }
  }
}
