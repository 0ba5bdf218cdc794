/** Ctrl-C, as the commands that own processes take it. */

const EXIT_INTERRUPTED = 130
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export interface StopRequest {
  /** Aborts at the first signal. */
  readonly signal: AbortSignal
  /** Listens no more. */
  readonly dispose: () => void
}

/**
 * Listens for a request to stop. When it comes a second time, `insist` is called and the process ends at once; the
 * local Postgres, which sees its owner go, still stops in order.
 */
export function stopRequest(insist: () => void): StopRequest {
  const controller = new AbortController()
  const onSignal = () => {
    if (!controller.signal.aborted) return controller.abort(new Error('stopped by a signal'))
    insist()
    process.exit(EXIT_INTERRUPTED)
  }
  for (const name of SIGNALS) process.on(name, onSignal)
  return {
    signal: controller.signal,
    dispose: () => {
      for (const name of SIGNALS) process.off(name, onSignal)
    },
  }
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
