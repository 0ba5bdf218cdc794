/** What core recommends for the example today: its steps answered as a run of the service would be. */
import type { Recommendation } from '@loadcurve/core/capacity/recommendation'
import { answerRun } from '@loadcurve/core/run/run-answer'
import { withVerification } from '@loadcurve/core/run/verification'
import { examplePlan, exampleSteps } from './example-report.ts'

export function liveRecommendation(): Recommendation {
  const attempts = exampleSteps()
  const answer = answerRun({ plan: examplePlan, attempts, probes: [], server: null })
  return withVerification(answer, attempts)
}
