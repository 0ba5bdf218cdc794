/**
 * Closed loop: a fixed number of slots, each of which always has one request in flight. A slot sends its next request
 * when the last one is over (after the think time, where users pause), so the server sets the pace and the
 * concurrency is what is held constant.
 *
 * The slots start one after another, spread over `staggerMs`: started together, equal requests would march in
 * lockstep, and the server would see bursts of prompts instead of a mixed load.
 */
import type { Clock } from '../clock.ts'
import type { Phase, StepWindow } from '../step-window.ts'

/** One request that an executor wants sent. Instants are step time, ms. */
export interface Dispatch {
  /** Order in this shard's schedule, from 0. */
  readonly index: number
  readonly phase: Phase
  readonly scheduledAtMs: number
}

export interface ClosedLoop {
  readonly clock: Clock
  readonly window: StepWindow
  /** Requests in flight. */
  readonly slots: number
  /** The first requests of the slots are spread evenly over this time. */
  readonly staggerMs: number
  /** Pause of a slot between an answer and its next request, drawn anew each time. */
  readonly thinkTimeMs: () => number
  /** Sends a request; resolves, and never rejects, when it is over on the wire. */
  readonly send: (dispatch: Dispatch) => Promise<void>
  /** Aborted when no more load is needed or wanted; `send` sees to the requests in flight. */
  readonly stopped: AbortSignal
}

/**
 * Keeps the slots busy until the window needs no more load, or `stopped` is aborted.
 *
 * @returns when every request has ended
 */
export async function runClosedLoop(loop: ClosedLoop): Promise<void> {
  let index = 0
  const runSlot = async (slot: number): Promise<void> => {
    await loop.clock.sleepUntilMs((slot * loop.staggerMs) / loop.slots, loop.stopped)
    while (!loop.stopped.aborted) {
      const startAtMs = loop.clock.nowMs()
      const phase = loop.window.admit(startAtMs)
      if (phase === null) return
      await loop.send({ index: index++, phase, scheduledAtMs: startAtMs })
      const thinkMs = loop.thinkTimeMs()
      if (thinkMs > 0) await loop.clock.sleepUntilMs(loop.clock.nowMs() + thinkMs, loop.stopped)
    }
  }
  await Promise.all(Array.from({ length: loop.slots }, (_, slot) => runSlot(slot)))
}
