/** What a run has cost its target so far. Interrupted and failed attempts were real load too. */
import type { Plan } from '@loadcurve/core/plan/schema'
import { finishedSteps } from '@loadcurve/core/run/history'
import type { Database } from '@loadcurve/store/database'
import { listShards } from '@loadcurve/store/shards'
import type { StoredStep } from '@loadcurve/store/steps'

export interface Spending {
  readonly requests: number
  readonly outputTokens: number
}

export async function spentSoFar(
  db: Database,
  plan: Plan,
  attempts: readonly StoredStep[],
): Promise<Spending> {
  const finished = finishedSteps(attempts)
  let unfinishedRequests = 0
  for (const attempt of attempts) {
    if (attempt.state === 'finished') continue
    const shards = await listShards(db, attempt)
    unfinishedRequests += shards.reduce((sum, { progress }) => sum + (progress?.started ?? 0), 0)
  }
  const measured = (part: 'requests' | 'outputTokens') => finished.reduce((sum, step) => sum + step[part], 0)
  return {
    requests: measured('requests') + unfinishedRequests,
    // How long the answers of an unfinished attempt were is not known; they were asked for at this length.
    outputTokens: measured('outputTokens') + unfinishedRequests * plan.workload.outputTokens.mean,
  }
}
