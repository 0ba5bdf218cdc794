/** Calls a function again and again, never twice at a time. */

export interface Ticker {
  /** No call begins after this; resolves when the last one has ended. */
  readonly stop: () => Promise<void>
}

/**
 * Calls `tick` at once and then again after each call: `intervalMs` later, or after as many ms as the call returned, when it is a number.
 * A call that throws ends nothing: `onError` is told, and the next one follows.
 */
export function tickUntil(
  tick: () => Promise<unknown>,
  intervalMs: number,
  onError: (error: unknown) => void = () => {},
): Ticker {
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let wake = () => {}
  const loop = async () => {
    while (!stopped) {
      const waitMs = await tick().catch(onError)
      if (stopped) return
      await new Promise<void>((resolve) => {
        wake = resolve
        timer = setTimeout(resolve, typeof waitMs === 'number' ? waitMs : intervalMs)
      })
    }
  }
  const running = loop()
  return {
    stop: () => {
      stopped = true
      clearTimeout(timer)
      wake()
      return running
    },
  }
}
