/**
 * Work that takes seconds runs in threads, so that events, health and other answers do not wait for it: one thread for
 * simulated answers, and one that keeps prepared runs and answers what-ifs about them in milliseconds.
 */
import { fileURLToPath } from 'node:url'
import type { CapacityQuestion } from '@loadcurve/core/capacity/capacity-answer'
import type { Recommendation } from '@loadcurve/core/capacity/recommendation'
import type { WhatIfAnswer } from '@loadcurve/core/capacity/what-if'
import { Piscina } from 'piscina'
import { Problem } from './problem.ts'
import type { WhatIfWords } from './what-if-question.ts'

export interface Compute {
  /** Fits and simulates: some seconds. @throws Problem when too much is waiting already */
  readonly answer: (question: CapacityQuestion) => Promise<Recommendation>
  /** The instant answer about a run; null where nothing was fitted that could be asked. */
  readonly whatIf: (runId: string, words: WhatIfWords) => Promise<WhatIfAnswer | 'not-prepared' | null>
  /** Prepares a run for what-ifs: some seconds, once. */
  readonly prepare: (run: PreparedRun) => Promise<void>
  readonly close: () => Promise<void>
}

export interface PreparedRun {
  readonly runId: string
  readonly question: CapacityQuestion
  readonly answered: Recommendation | null
}

/** What is sent to the thread of what-ifs. */
export type WhatIfTask =
  | { readonly kind: 'prepare'; readonly run: PreparedRun }
  | { readonly kind: 'ask'; readonly runId: string; readonly words: WhatIfWords }

const WAITING_MAX = 16
const IDLE_MS = 10 * 60_000

export function startCompute(): Compute {
  const answers = openPool('compute-thread.js')
  const whatIfs = openPool('what-if-thread.js')
  return {
    answer: (question) => run(answers, question),
    whatIf: (runId, words) => run(whatIfs, { kind: 'ask', runId, words } satisfies WhatIfTask),
    prepare: (prepared) => run(whatIfs, { kind: 'prepare', run: prepared } satisfies WhatIfTask),
    close: async () => {
      await Promise.all([answers.destroy(), whatIfs.destroy()])
    },
  }
}

function openPool(entry: string): Piscina {
  return new Piscina({
    // A thread's entry is always the built file: Node 20 runs no TypeScript.
    filename: fileURLToPath(new URL(`../dist/${entry}`, import.meta.url)),
    // Nor does it know the export conditions that tests run this process with.
    execArgv: [],
    minThreads: 0,
    // One each: the machine's other cores belong to the load.
    maxThreads: 1,
    idleTimeout: IDLE_MS,
    maxQueue: WAITING_MAX,
  })
}

function run<Result>(pool: Piscina, task: unknown): Promise<Result> {
  if (pool.queueSize >= WAITING_MAX) throw tooBusy()
  return pool.run(task)
}

const tooBusy = () =>
  new Problem({
    status: 503,
    code: 'compute-busy',
    title: 'Busy',
    detail: `${WAITING_MAX} questions are waiting already; try again in a few seconds.`,
    headers: { 'retry-after': '5' },
  })
