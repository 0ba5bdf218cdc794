import { runClosedLoop } from '../engine/closed-loop.ts'
import { type ClosedLoopMeans, type ClosedLoopSetting, closedForm } from './closed-form.ts'
import { summariseRun } from './run-summary.ts'

export interface ClosedLoopTruth extends ClosedLoopMeans {
  /** `closed-form` is exact; `simulated` is the mean of a long virtual run. */
  readonly source: 'closed-form' | 'simulated'
}

/** Requests of a virtual run per client, and at least: the standard error of a mean is then well under a percent. */
const REQUESTS_PER_CLIENT = 20
const REQUESTS_MIN = 2000

/** Means of a closed loop with N clients and no think time. */
export function closedLoopTruth(setting: ClosedLoopSetting, seed = 1): ClosedLoopTruth {
  const exact = closedForm(setting)
  if (exact !== null) return { source: 'closed-form', ...exact }
  const requests = Math.max(REQUESTS_MIN, REQUESTS_PER_CLIENT * setting.concurrency)
  const summary = summariseRun(runClosedLoop({ ...setting, requests, seed }))
  return {
    source: 'simulated',
    requestsPerS: summary.requestsPerS,
    outputTokensPerS: summary.outputTokensPerS,
    ttftMs: summary.ttftMs.mean ?? 0,
    tpotMs: summary.tpotMs.mean,
    decodeBatch: summary.decodeBatch,
  }
}

/**
 * Mean TPOT when the server's cap is `batch` and the batch is always full: what a promise on TPOT has to hold at, if
 * `batch` is to be the `max_num_seqs`. ms; null when answers have one token.
 */
export function fullBatchTpotMs(
  setting: Omit<ClosedLoopSetting, 'concurrency'>,
  batch: number,
): number | null {
  const law = { ...setting.law, maxNumSeqs: batch }
  return closedLoopTruth({ ...setting, law, concurrency: 2 * batch }).tpotMs
}

/** Largest batch, at most `batchMax`, that keeps the mean TPOT of a full batch within the limit; 0 when none does. */
export function largestBatchWithin(
  setting: Omit<ClosedLoopSetting, 'concurrency'>,
  limit: { readonly tpotMaxMs: number; readonly batchMax: number },
): number {
  let holds = 0
  let breaks = limit.batchMax + 1
  while (breaks - holds > 1) {
    const batch = Math.floor((holds + breaks) / 2)
    const tpotMs = fullBatchTpotMs(setting, batch)
    if (tpotMs === null || tpotMs <= limit.tpotMaxMs) holds = batch
    else breaks = batch
  }
  return holds
}
