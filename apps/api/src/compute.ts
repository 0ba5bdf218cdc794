/**
 * Work that takes seconds runs in a thread, so that events, health and other answers do not wait for it. One thread:
 * the machine's other cores belong to the load.
 */
import { fileURLToPath } from 'node:url'
import type { CapacityQuestion } from '@loadcurve/core/capacity/capacity-answer'
import type { Recommendation } from '@loadcurve/core/capacity/recommendation'
import { Piscina } from 'piscina'
import { Problem } from './problem.ts'

export interface Compute {
  /** Fits and simulates: some seconds. @throws Problem when too much is waiting already */
  readonly answer: (question: CapacityQuestion, signal?: AbortSignal) => Promise<Recommendation>
  readonly close: () => Promise<void>
}

const WAITING_MAX = 16
const IDLE_MS = 60_000

export function startCompute(): Compute {
  const pool = new Piscina({
    // A thread's entry is always the built file: Node 20 runs no TypeScript.
    filename: fileURLToPath(new URL('../dist/compute-thread.js', import.meta.url)),
    // Nor does it know the export conditions that tests run this process with.
    execArgv: [],
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MS,
    maxQueue: WAITING_MAX,
  })
  return {
    answer: (question, signal) => {
      if (pool.queueSize >= WAITING_MAX) throw tooBusy()
      return pool.run(question, signal === undefined ? {} : { signal })
    },
    close: () => pool.destroy(),
  }
}

const tooBusy = () =>
  new Problem({
    status: 503,
    code: 'compute-busy',
    title: 'Busy',
    detail: `${WAITING_MAX} fits are waiting already; try again in a few seconds.`,
    headers: { 'retry-after': '5' },
  })
