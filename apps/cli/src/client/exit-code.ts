/** How a run ends the command that followed it (CONTRACT: 0 met, 1 crashed, 4 missed everywhere, 5 inconclusive). */
import type { Recommendation } from '@loadcurve/core/capacity/recommendation'
import type { StepSummary } from '@loadcurve/core/metrics/step-summary'
import type { RunState } from '@loadcurve/core/run/state'
import type { ApiEvent } from './api-client.ts'

export const EXIT_MET = 0
export const EXIT_CRASHED = 1
export const EXIT_INVALID_PLAN = 3
export const EXIT_MISSED = 4
export const EXIT_INCONCLUSIVE = 5

export interface RunOutcome {
  readonly state: RunState
  readonly recommendation: Recommendation | null
  readonly events: readonly ApiEvent[]
}

export function exitCodeOf({ state, recommendation, events }: RunOutcome): number {
  if (state !== 'finished') return EXIT_CRASHED
  if (recommendation?.verdict === 'recommended') return EXIT_MET
  if (recommendation?.verdict === 'infeasible' || isMissedEverywhere(events)) return EXIT_MISSED
  return EXIT_INCONCLUSIVE
}

/** Was every measured step judged, and did each miss a promise? */
function isMissedEverywhere(events: readonly ApiEvent[]): boolean {
  const steps = events
    .filter(({ kind }) => kind === 'step-finished')
    .map(({ data }) => (data['summary'] as StepSummary).slo)
  return steps.length > 0 && steps.every((slo) => slo.some(({ verdict }) => verdict === 'missed'))
}
