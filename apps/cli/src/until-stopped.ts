import process from 'node:process'

/**
 * Waits for the end of a command that runs in the foreground: Ctrl-C, SIGTERM, or the end of the process that started
 * it with an IPC channel (so that no orphan stays behind).
 *
 * @returns what ended it, for people
 */
export function untilStopped(): Promise<string> {
  return new Promise((resolve) => {
    const stop = (reason: string) => {
      process.off('SIGINT', onInterrupt)
      process.off('SIGTERM', onTerminate)
      process.off('disconnect', onDisconnect)
      resolve(reason)
    }
    const onInterrupt = () => stop('Ctrl-C')
    const onTerminate = () => stop('SIGTERM')
    const onDisconnect = () => stop('its parent ended')
    process.on('SIGINT', onInterrupt)
    process.on('SIGTERM', onTerminate)
    process.on('disconnect', onDisconnect)
  })
}
