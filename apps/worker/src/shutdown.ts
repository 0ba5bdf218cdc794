/**
 * The end of the process. It comes by SIGTERM or SIGINT, or because whoever started us is gone (the IPC channel
 * closes); always in the same order, and never longer than the limit.
 */
import type { Log } from './log.ts'

const SHUTDOWN_MAX_MS = 10_000

/** Runs `stop` once when the process is asked to end, then exits. */
export function stopOnRequest(log: Log, stop: () => Promise<void>): void {
  let stopping = false
  const end = async (why: string) => {
    if (stopping) return
    stopping = true
    log.info({ why }, 'stopping')
    setTimeout(() => {
      log.error('stopping took too long')
      process.exit(1)
    }, SHUTDOWN_MAX_MS).unref()
    try {
      await stop()
      process.exit(0)
    } catch (error) {
      log.error({ err: error }, 'stopping failed')
      process.exit(1)
    }
  }
  process.on('SIGTERM', () => void end('SIGTERM'))
  process.on('SIGINT', () => void end('SIGINT'))
  process.on('disconnect', () => void end('owner is gone'))
}
