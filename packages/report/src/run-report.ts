/**
 * Everything that a report of a run says, as one JSON document: what was asked, what was measured, what is recommended
 * and why, what was excluded, and by which definitions. The HTML and Markdown reports and the dashboard's charts are
 * functions of it, so their numbers are the API's numbers.
 */
import type { Recommendation } from '@loadcurve/core/capacity/recommendation'
import type { TargetReading } from '@loadcurve/core/metrics/sample'
import type { StepSummary } from '@loadcurve/core/metrics/step-summary'
import type { Plan } from '@loadcurve/core/plan/schema'
import type { RunResource, StepResource } from '@loadcurve/core/run/resources'

export interface ReportStep extends Omit<StepResource, 'summary'> {
  readonly summary: StepSummary | null
  readonly targetReadings: readonly TargetReading[]
}

export interface RunReport {
  readonly schemaVersion: 1
  readonly run: RunResource
  readonly plan: Plan
  /** The last attempt at each step, in the order of measuring. */
  readonly steps: readonly ReportStep[]
  readonly recommendation: Recommendation | null
  readonly definitionsVersion: number
  /** Who made it. */
  readonly environment: { readonly loadcurve: string; readonly node: string }
}

/** A step's level in a word: `16`, `2.5/s`; with the batch limit where the plan set one: `16 (batch 8)`. */
export function levelLabel({ level }: Pick<ReportStep, 'level'>): string {
  const { batch, concurrency, ratePerS } = level
  const load = concurrency === null ? rateLabel(ratePerS) : String(concurrency)
  return batch === null ? load : `${load} (batch ${batch})`
}

const rateLabel = (ratePerS: number | null): string =>
  ratePerS === null ? '?' : `${ratePerS.toLocaleString('en-GB', { maximumSignificantDigits: 3 })}/s`

/** The level that the fit of a run calls `step 3`; null when it is none of this run's. */
export function stepOfLabel({ steps }: RunReport, label: string): string | null {
  const step = steps.find((candidate) => label === `step ${candidate.step + 1}`)
  return step === undefined ? null : levelLabel(step)
}

/** The codes for which a step is kept out of the fit; empty when it is in. */
export function exclusions(step: ReportStep): readonly string[] {
  const own = step.excluded === null ? [] : [step.excluded]
  return [...new Set([...own, ...(step.summary?.refusals ?? [])])]
}
