/** The entry of the thread that keeps prepared runs and answers what-ifs about them at once. */
import {
  type PreparedWhatIf,
  prepareWhatIf,
  type WhatIfAnswer,
  whatIf,
} from '@loadcurve/core/capacity/what-if'
import { fitCurve } from '@loadcurve/core/fit/curve'
import type { PreparedRun, WhatIfTask } from './compute.ts'
import { changeOf } from './what-if-question.ts'

/** A prepared run holds a fit with its draws and a calibration: a few MB. The least recently asked one leaves. */
const PREPARED_MAX = 8
/** Null: nothing could be fitted. */
const runs = new Map<string, PreparedWhatIf | null>()

function work(task: WhatIfTask): WhatIfAnswer | 'not-prepared' | null {
  if (task.kind === 'prepare') {
    keep(task.run.runId, prepare(task.run))
    return null
  }
  const prepared = runs.get(task.runId)
  if (prepared === undefined) return 'not-prepared'
  keep(task.runId, prepared)
  return prepared === null ? null : whatIf(prepared, changeOf(prepared.question, task.words))
}

function prepare({ question, answered }: PreparedRun): PreparedWhatIf | null {
  return answered === null ? null : prepareWhatIf(fitCurve(question), question, answered)
}

function keep(runId: string, run: PreparedWhatIf | null): void {
  runs.delete(runId)
  runs.set(runId, run)
  const [oldest] = runs.keys()
  if (runs.size > PREPARED_MAX && oldest !== undefined) runs.delete(oldest)
}

export { work as default }
