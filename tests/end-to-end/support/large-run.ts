/** A finished run with as many samples as one likes, stored as load processes would store them. */
import { randomUUID } from 'node:crypto'
import type { ShardRecord } from '@loadcurve/core/metrics/sample'
import { resolvePlan } from '@loadcurve/core/plan/resolve'
import type { RunReport } from '@loadcurve/report/run-report'
import type { Database } from '@loadcurve/store/database'
import { createPlan } from '@loadcurve/store/plans'
import { saveRecommendation } from '@loadcurve/store/recommendations'
import { createRun, endRun, startRun } from '@loadcurve/store/runs'
import { claimShard, markShardReady, storeShard } from '@loadcurve/store/shards'
import { finishStep, startStep } from '@loadcurve/store/steps'

const SHARDS = 2

export async function largeRun(
  db: Database,
  { report, record, samples }: { report: RunReport; record: ShardRecord; samples: number },
): Promise<string> {
  const plan = await createPlan(db, report.plan)
  const { run } = await createRun(db, {
    planId: plan.id,
    planVersion: 1,
    plan: resolvePlan(report.plan),
    origin: 'manual',
  })
  await startRun(db, run.id)
  const steps = report.steps.filter(({ summary }) => summary !== null)
  const each = Math.ceil(samples / steps.length / SHARDS)
  const enough = { ...record, samples: Array.from({ length: each }, (_, index) => sampleOf(record, index)) }
  for (const { step, purpose, level, summary } of steps) {
    const key = { runId: run.id, step, attempt: 1 }
    await startStep(db, { key, holder: randomUUID(), purpose, level, shardsCount: SHARDS, order: {} })
    for (let shard = 0; shard < SHARDS; shard++) {
      await claimShard(db, { ...key, shard }, randomUUID())
      await markShardReady(db, { ...key, shard })
      if (!(await storeShard(db, { ...key, shard }, { ...enough, shard }))) throw new Error('not stored')
    }
    if (summary !== null) await finishStep(db, key, { summary, predicted: null, excluded: null })
  }
  if (report.recommendation !== null) await saveRecommendation(db, run.id, report.recommendation)
  await endRun(db, run.id, { state: 'finished', reason: 'sweep-complete', message: null })
  return run.id
}

function sampleOf({ samples }: ShardRecord, index: number) {
  const sample = samples[index % samples.length]
  if (sample === undefined) throw new Error('a record without samples cannot be repeated')
  return { ...sample, index }
}
