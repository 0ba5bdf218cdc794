/** From what a step recorded to its summary, with what the plan and the preflight know beside it. */
import type { PlannedStep } from '@loadcurve/core/load/step-level'
import type { ShardRecord, TargetReading } from '@loadcurve/core/metrics/sample'
import type { StepFacts } from '@loadcurve/core/metrics/step-facts'
import type { StepSummary } from '@loadcurve/core/metrics/step-summary'
import { summariseStep } from '@loadcurve/core/metrics/summary'
import type { Plan } from '@loadcurve/core/plan/schema'
import type { StoredPreflight } from './run-preflight.ts'

/** The summary of a measured step. */
export function summariseRecords({
  plan,
  preflight,
  planned,
  records,
  readings,
}: {
  readonly plan: Plan
  readonly preflight: StoredPreflight
  readonly planned: PlannedStep
  readonly records: readonly ShardRecord[]
  readonly readings: readonly TargetReading[]
}): StepSummary {
  return summariseStep({
    shards: records,
    targetReadings: readings,
    facts: stepFacts(plan, preflight, planned),
  })
}

function stepFacts(
  { sweep, workload, slo, hardware }: Plan,
  preflight: StoredPreflight,
  { level }: PlannedStep,
): StepFacts {
  const { report } = preflight
  return {
    level,
    slo,
    batchControl: sweep.batch.control,
    thinkTimeS: workload.thinkTimeS,
    lengthsForced: workload.ignoreEos,
    cacheReuse: workload.sharedPrefixTokens > 0 || workload.dataset !== null,
    zeroLoadTtftMs: zeroLoadTtftMs(preflight, workload.inputTokens.mean),
    gpusPerReplica: hardware?.gpusPerReplica ?? null,
    fingerprint: report.fingerprint === null ? null : { ...report.fingerprint },
  }
}

// The probe that is nearest to the workload's own length; a distant one says nothing about it.
function zeroLoadTtftMs({ report }: StoredPreflight, inputTokens: number): number | null {
  const near = report.probes
    .map((probe) => ({ ...probe, distance: Math.abs(Math.log(probe.inputTokens / inputTokens)) }))
    .filter(({ distance }) => distance < Math.log(1.2))
    .sort((left, right) => left.distance - right.distance)
  return near[0]?.ttftMs ?? null
}
