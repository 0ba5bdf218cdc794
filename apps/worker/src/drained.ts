/** Waiting until the load of a closed attempt is over: the next attempt must never meet it at the target. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@loadcurve/store/database'
import { listShards } from '@loadcurve/store/shards'
import type { StepKey } from '@loadcurve/store/steps'

const POLL_MS = 100
/** A load process whose worker was killed dies with it; one whose worker lives is killed within two polls. */
const WAIT_MAX_MS = 2_000

/**
 * Resolves when every shard of the attempt has said that its load is over. A shard of a killed worker never says so;
 * its load process died with the worker, and two seconds are more than the others need.
 */
export async function untilDrained(db: Database, key: StepKey): Promise<void> {
  const deadlineAtMs = performance.now() + WAIT_MAX_MS
  while (performance.now() < deadlineAtMs) {
    const shards = await listShards(db, key)
    const loading = shards.filter(
      ({ state, workerId }) => workerId !== null && state !== 'finished' && state !== 'failed',
    )
    if (loading.length === 0) return
    await delay(POLL_MS)
  }
}
