/** Counts of a running step, and the snapshots that are made of them. */
import type { Sample } from '@loadcurve/core/metrics/sample'
import type { Recorder } from './recorder.ts'
import type { Progress } from './step-order.ts'
import type { StepWindow } from './step-window.ts'

export class ProgressTally {
  readonly #recorder: Recorder
  readonly #window: StepWindow
  #started = 0
  #free = 0
  #ended = 0
  #failed = 0
  #dropped = 0
  #last = { atMs: 0, ended: 0, contentEvents: 0 }

  constructor(recorder: Recorder, window: StepWindow) {
    this.#recorder = recorder
    this.#window = window
  }

  get dropped(): number {
    return this.#dropped
  }

  onStarted(): void {
    this.#started++
  }

  /** The request is over on the wire; its answer may still have to be read. */
  onFree(): void {
    this.#free++
  }

  onEnded(sample: Sample): void {
    this.#ended++
    // What we cut ourselves did not fail.
    if (sample.outcome !== 'ok' && sample.outcome !== 'cancelled') this.#failed++
  }

  onDropped(): void {
    this.#dropped++
  }

  /**
   * The state at an instant (step time, ms). Takes the samples that have ended since the last call.
   *
   * @param generatorLagP99Ms how late the load process itself is
   */
  snapshot(atMs: number, generatorLagP99Ms: number | null): Progress {
    const { contentEvents } = this.#recorder
    const elapsedMs = atMs - this.#last.atMs
    const perS = (count: number): number => (elapsedMs > 0 ? (count * 1000) / elapsedMs : 0)
    const { measuredCount, measuredInFlight, openAtMs, closedAtMs } = this.#window
    const progress: Progress = {
      atMs,
      phase: this.#window.phaseAt(atMs),
      windowOpenAtMs: openAtMs,
      windowClosedAtMs: closedAtMs,
      inFlight: this.#started - this.#free,
      started: this.#started,
      ended: this.#ended,
      failed: this.#failed,
      dropped: this.#dropped,
      measuredStarted: measuredCount,
      measuredEnded: measuredCount - measuredInFlight,
      endedPerS: perS(this.#ended - this.#last.ended),
      contentEventsPerS: perS(contentEvents - this.#last.contentEvents),
      ttftP50Ms: this.#recorder.recentTtftP50Ms(),
      tpotP50Ms: this.#recorder.recentTpotP50Ms(),
      generatorLagP99Ms,
      samples: this.#recorder.takeSamples(),
    }
    this.#last = { atMs, ended: this.#ended, contentEvents }
    return progress
  }
}
