/** How a run ends the command that followed it (CONTRACT: 0 met, 1 crashed, 4 missed everywhere, 5 inconclusive). */
import type { FollowedRun } from './follow-run.ts'

export const EXIT_MET = 0
export const EXIT_CRASHED = 1
export const EXIT_INVALID_PLAN = 3
export const EXIT_MISSED = 4
export const EXIT_INCONCLUSIVE = 5

export function exitCodeOf({ run, recommendation }: FollowedRun): number {
  if (run.state !== 'finished') return EXIT_CRASHED
  if (recommendation === null || recommendation.verdict === 'inconclusive') return EXIT_INCONCLUSIVE
  return recommendation.verdict === 'infeasible' ? EXIT_MISSED : EXIT_MET
}
