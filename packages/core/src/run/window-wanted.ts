/**
 * How long must the window of a running step become? Judged on the part of it that is over:
 *
 *   residences   the window must hold several residences R, and R is now known;
 *   precision    the half-width of a mean shrinks with the square root of the window, so a half-width h against a wanted
 *                one w asks for (h/w)^2 times the window seen;
 *   verdicts     each promise that is still undecided says how many more requests would decide it.
 *
 * A promise that no affordable number of requests would decide asks for nothing: the step ends undecided, and says so.
 */
import type { StepLevel } from '../load/step-level.ts'
import { batchMeans, meanOf } from '../metrics/batch-means.ts'
import { type MeasuredColumns, measuredColumns } from '../metrics/columns.ts'
import type { Sample } from '../metrics/sample.ts'
import { judgeSlo } from '../slo/judge.ts'
import type { SloTarget } from '../slo/target.ts'

export interface WindowRulesOfPlan {
  readonly residences: number
  /** Relative half-width of throughput and of mean TPOT that is precise enough. */
  readonly precisionFraction: number
  readonly slo: readonly SloTarget[]
}

/** Half-width of a 95 % interval in standard errors. */
const HALF_WIDTH = 1.96
/** One look must not stretch the window further than this: what it saw may have been odd. */
const STRETCH_MAX = 4

/**
 * @param samples the requests that have ended so far
 * @param window the part of the window that is over, step time, ms
 * @param windowMs the length that is planned now
 * @returns the length that is wanted, ms; not less than `windowMs`, and not more than four times the part seen
 */
export function windowWanted({
  rules,
  level,
  samples,
  window,
  windowMs,
}: {
  readonly rules: WindowRulesOfPlan
  readonly level: StepLevel
  readonly samples: readonly Sample[]
  readonly window: { readonly startMs: number; readonly endMs: number }
  readonly windowMs: number
}): number {
  const seenMs = window.endMs - window.startMs
  const measured = samples
    .filter(({ phase }) => phase === 'window')
    .sort((left, right) => left.index - right.index)
  if (measured.length === 0 || seenMs <= 0) return windowMs
  const columns = measuredColumns(measured)
  const part: SeenPart = { columns, seenMs, isOpenLoop: level.ratePerS !== null }
  const wanted = Math.max(
    forResidences(part, rules.residences),
    forPrecision(part, rules.precisionFraction),
    forVerdicts(part, rules.slo),
  )
  return Math.max(windowMs, Math.min(wanted, STRETCH_MAX * seenMs))
}

/** The part of the window that is over. */
interface SeenPart {
  readonly columns: MeasuredColumns
  readonly seenMs: number
  readonly isOpenLoop: boolean
}

function forResidences({ columns }: SeenPart, residences: number): number {
  const { values } = columns.latency.e2e
  return values.length === 0 ? 0 : residences * meanOf(values)
}

// In closed loop throughput is concurrency over residence, so its error is that of the mean E2E, which is known far
// better than that of a count of completions: they come in bursts. In open loop it is the plan's own rate.
function forPrecision({ columns, seenMs, isOpenLoop }: SeenPart, precisionFraction: number): number {
  const { tpot, e2e } = columns.latency
  const means = (isOpenLoop ? [tpot] : [tpot, e2e]).map(
    ({ values }) => batchMeans(values)?.relativeError ?? 0,
  )
  const excess = (HALF_WIDTH * Math.max(...means)) / precisionFraction
  return excess <= 1 ? 0 : excess ** 2 * seenMs
}

function forVerdicts({ columns, seenMs, isOpenLoop }: SeenPart, slo: readonly SloTarget[]): number {
  const more = slo.flatMap((target) => {
    // Gaps are counted by the thousand; they are decided long before anything else is.
    if (target.metric === 'gap') return []
    const metric = target.metric === 'ttft' && isOpenLoop ? 'ttftScheduled' : target.metric
    return judgeSlo(target, { ...columns.latency[metric], failed: columns.failed }).moreRequests ?? 0
  })
  return seenMs * (1 + Math.max(0, ...more) / columns.count)
}
