/**
 * Open loop: requests are sent when the schedule says so, whether or not the server keeps up, as independent users
 * do. There is one absolute schedule: a send that is late does not move the next one, and its delay is visible as
 * `sent` minus `scheduled`. The number in flight is bounded; an arrival that finds no place is dropped and counted,
 * never queued, because a queue in the client would turn the open loop into a closed one and hide its own waiting.
 */
import type { Clock } from '../clock.ts'
import type { StepWindow } from '../step-window.ts'
import type { Dispatch } from './closed-loop.ts'

/** One entry of the schedule. */
export interface Arrival {
  /** Order in the schedule of the whole step: shards share it. */
  readonly index: number
  readonly atMs: number
}

export interface OpenLoop {
  readonly clock: Clock
  readonly window: StepWindow
  /** Intended instants, step time, never decreasing; endless, or the window closes at its end. */
  readonly arrivals: Iterable<Arrival>
  readonly inFlightMax: number
  /** Sends a request; resolves, and never rejects, when it is over on the wire. */
  readonly send: (dispatch: Dispatch) => Promise<void>
  /** An arrival found `inFlightMax` requests in flight. */
  readonly drop: (dispatch: Dispatch) => void
  /** Aborted when no more load is needed or wanted; `send` sees to the requests in flight. */
  readonly stopped: AbortSignal
}

/**
 * Follows the schedule until the window needs no more load, the schedule ends, or `stopped` is aborted.
 *
 * @returns when every request has ended
 */
export async function runOpenLoop(loop: OpenLoop): Promise<void> {
  const inFlight = new Set<Promise<void>>()
  let isExhausted = true
  for (const { index, atMs } of loop.arrivals) {
    loop.window.expect(atMs)
    await loop.clock.sleepUntilMs(atMs, loop.stopped)
    const phase = loop.stopped.aborted ? null : loop.window.admit(atMs)
    if (phase === null) {
      isExhausted = false
      break
    }
    const dispatch = { index, phase, scheduledAtMs: atMs }
    if (inFlight.size >= loop.inFlightMax) {
      loop.window.dropped(phase, loop.clock.nowMs())
      loop.drop(dispatch)
      continue
    }
    const sending = loop.send(dispatch).then(() => {
      inFlight.delete(sending)
    })
    inFlight.add(sending)
  }
  if (isExhausted) loop.window.exhausted(loop.clock.nowMs())
  await Promise.all(inFlight)
}
