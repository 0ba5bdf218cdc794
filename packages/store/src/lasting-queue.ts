/**
 * Queues and workers that outlive a bad start. On Postgres an object of BullMQ remembers how its first connection went:
 * if that failed, every later use of it fails at once, and a worker asks again and again without a pause, so that its
 * process hears nothing else any more, not even that its owner died. An object that could not get ready is therefore
 * thrown away, and another one made.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Queue, Worker } from 'bullmq'

const AGAIN_MS = 1_000

export interface LastingQueue {
  /** The queue, once its connection stands. */
  readonly ready: () => Promise<Queue>
  readonly close: () => Promise<void>
}

/** @throws from `ready`: the error of a connection that failed; the next call has a new queue */
export function lastingQueue(make: () => Queue): LastingQueue {
  let queue = make()
  return {
    ready: async () => {
      const current = queue
      try {
        await current.waitUntilReady()
      } catch (error) {
        if (queue === current) {
          queue = make()
          current.close().catch(() => {})
        }
        throw error
      }
      return current
    },
    close: () => queue.close(),
  }
}

/** @param make a worker that does not run by itself: it is started once its connection stands */
export function lastingWorker(
  make: () => Worker,
  onError: (error: Error) => void,
): { readonly close: () => Promise<void> } {
  const closing = new AbortController()
  let worker: Worker | null = null
  const start = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const tried = make()
      worker = tried
      try {
        await tried.waitUntilReady()
        tried.run().catch(onError)
        return
      } catch (error) {
        onError(error as Error)
        tried.close().catch(() => {})
        await delay(AGAIN_MS, undefined, { signal: closing.signal }).catch(() => {})
      }
    }
  }
  void start()
  return {
    close: async () => {
      closing.abort()
      await worker?.close()
    },
  }
}
