/** The promises of a step, judged on its measured requests, and its goodput. */
import { countGood } from '../slo/goodput.ts'
import type { JudgedRequests } from '../slo/judge.ts'
import { judgeCounts, judgeSlo } from '../slo/judge.ts'
import type { SloTarget } from '../slo/target.ts'
import type { SloVerdict } from '../slo/verdict.ts'
import type { MeasuredColumns } from './columns.ts'
import { gapStatistics } from './latency-statistics.ts'
import type { RequestMetric } from './request.ts'
import type { SloMetric } from './slo-metric.ts'
import type { StepSource } from './step-source.ts'
import { windowSOf } from './step-source.ts'
import type { StepSummary } from './step-summary.ts'

/** The verdict on one promise, from the requests, or from the histogram where gaps are promised. */
export function verdictOf(target: SloTarget, source: StepSource): SloVerdict {
  if (target.metric !== 'gap') return judgeSlo(target, judgedRequests(target.metric, source))
  const { gaps, window } = source
  const statistics = gapStatistics(gaps, window.endMs - window.startMs)
  const n = gaps.count
  const effectiveN = statistics.effectiveN ?? 0
  if (target.percentile === 'mean') {
    // A histogram of gaps carries no evidence about its mean beyond the value itself.
    return {
      target,
      verdict: 'undecided',
      n,
      effectiveN,
      over: null,
      measuredMs: gaps.meanMs,
      moreRequests: null,
    }
  }
  const measuredMs = gaps.percentileMs(target.percentile)
  return judgeCounts({
    target,
    percentile: target.percentile,
    n,
    over: gaps.countOver(target.maxMs),
    effectiveN,
    measuredMs,
  })
}

/** Metrics whose absence means that the user waited in vain, while a missing TPOT only does not apply. */
const AWAITED: readonly SloMetric[] = ['firstVisibleToken', 'validJson']

function judgedRequests(metric: RequestMetric, { columns, loop }: StepSource): JudgedRequests {
  // In open loop users wait from the instant at which they wanted to send.
  const column = columns.latency[metric === 'ttft' && loop === 'open' ? 'ttftScheduled' : metric]
  if (!AWAITED.includes(metric)) return { ...column, failed: columns.failed }
  const failed = columns.failed.map((one, index) =>
    one === 1 || isAbsent(columns, column.perRequest, index) ? 1 : 0,
  )
  return { ...column, failed }
}

const isAbsent = ({ ok }: MeasuredColumns, valuesMs: Float64Array, index: number): boolean =>
  ok[index] === 1 && Number.isNaN(valuesMs[index] ?? Number.NaN)

/** Good requests as a fraction of all that were scheduled, and per second. */
export function goodputOf(source: StepSource, slo: readonly SloTarget[]): StepSummary['goodput'] {
  const n = source.measured.length
  if (n === 0) return { fraction: null, perS: null, n }
  const promises = slo.flatMap((target) =>
    target.metric === 'gap' || target.percentile === 'mean'
      ? []
      : [{ ...judgedRequests(target.metric, source), target }],
  )
  const good = countGood(source.columns.ok, promises)
  return { fraction: good / n, perS: good / windowSOf(source), n }
}
