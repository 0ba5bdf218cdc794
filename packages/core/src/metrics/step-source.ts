/** What the parts of a step's summary share, read once from the records of its shards. */
import type { MeasuredColumns } from './columns.ts'
import { commonWindow, flightIntervals, measuredColumns, measuredSamples } from './columns.ts'
import type { Intervals, Window } from './concurrency.ts'
import type { GapStatistics } from './gap-histogram.ts'
import { mergedGapStatistics } from './gap-histogram.ts'
import type { Sample, ShardRecord } from './sample.ts'
import type { StepFacts } from './step-facts.ts'
import type { StepSummary } from './step-summary.ts'
import { completionInstants, contentEventSeries } from './throughput.ts'

export interface StepSource {
  readonly shards: readonly ShardRecord[]
  readonly window: Window
  readonly loop: 'closed' | 'open'
  readonly measured: readonly Sample[]
  readonly columns: MeasuredColumns
  /** Of everything that was sent, warm-up and tail included. */
  readonly intervals: Intervals
  readonly completions: Float64Array
  readonly gaps: GapStatistics
  readonly series: StepSummary['series']
  /** Mean sequences of a request. */
  readonly sequences: number
}

/** @throws RangeError when there are no shards, or their windows do not overlap */
export function readStep(shards: readonly ShardRecord[], facts: StepFacts): StepSource {
  if (shards.length === 0) throw new RangeError('a step has at least one shard, got none')
  const window = commonWindow(shards)
  const measured = measuredSamples(shards)
  return {
    shards,
    window,
    loop: facts.level.ratePerS === null ? 'closed' : 'open',
    measured,
    columns: measuredColumns(measured),
    intervals: flightIntervals(shards, window.endMs),
    completions: completionInstants(shards, window),
    gaps: mergedGapStatistics(shards.map((shard) => shard.gapHistogram)),
    series: contentEventSeries(shards, window),
    sequences:
      measured.length === 0 ? 1 : measured.reduce((sum, one) => sum + one.sequences, 0) / measured.length,
  }
}

export const windowSOf = ({ window }: StepSource): number => (window.endMs - window.startMs) / 1_000
