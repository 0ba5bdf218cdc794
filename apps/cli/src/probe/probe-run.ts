/** Drives the one step of a probe in a load process, and reads the server's metrics beside it. */
import type { TargetReading } from '@loadcurve/core/metrics/sample'
import type { StepSummary } from '@loadcurve/core/metrics/step-summary'
import { summariseStep } from '@loadcurve/core/metrics/summary'
import { MonotonicClock } from '@loadcurve/loadgen/clock'
import { forkLoadProcess, type LoadProcess } from '@loadcurve/loadgen/process/fork'
import type { DriveResult, Progress, StepOrder } from '@loadcurve/loadgen/step-order'
import { stepTargetOptions } from '@loadcurve/loadgen/step-target'
import { openVisitor } from '@loadcurve/loadgen/target/visitor'
import { pollTargetMetrics } from '@loadcurve/loadgen/target-metrics/poll'
import { CommandFailure } from '../errors.ts'
import type { ProbePreflight } from './probe-preflight.ts'

export interface ProbeRun {
  readonly order: StepOrder
  readonly preflight: ProbePreflight
  readonly slo: Parameters<typeof summariseStep>[0]['facts']['slo']
  readonly env: Readonly<Record<string, string | undefined>>
  readonly onProgress: (progress: Progress) => void
  readonly signal: AbortSignal
}

const clock = new MonotonicClock()
/** The load process is ready; its order and its start need a moment to reach it. */
const startDelayMs = 50

/**
 * @returns the summary; null when the step was ended before anything was measured
 * @throws CommandFailure when the load process could not drive the step
 */
export async function runProbe(run: ProbeRun): Promise<StepSummary | null> {
  const load = forkLoadProcess({ order: run.order, env: run.env, onProgress: run.onProgress })
  const onAbort = (): void => load.abort()
  run.signal.addEventListener('abort', onAbort, { once: true })
  try {
    const { result, readings } = await driveStep(run, load)
    const { record } = result
    const isMeasured = record.windowEndMs > record.windowStartMs
    return isMeasured
      ? summariseStep({ shards: [record], targetReadings: readings, facts: factsOf(run) })
      : null
  } finally {
    run.signal.removeEventListener('abort', onAbort)
    load.kill()
  }
}

async function driveStep(
  run: ProbeRun,
  load: LoadProcess,
): Promise<{ result: DriveResult; readings: TargetReading[] }> {
  const ready = await load.ready
  if ('end' in ready) throw new CommandFailure(ready.message)
  const startAtMs = clock.nowMs() + startDelayMs
  const readings: TargetReading[] = []
  const stopReading = readMetrics(run, startAtMs, (reading) => readings.push(reading))
  load.go(startAtMs)
  const result = await load.result
  await stopReading()
  if (result.end === 'failed') throw new CommandFailure(result.message)
  return { result, readings }
}

function readMetrics(
  { order, preflight, env }: ProbeRun,
  startAtMs: number,
  onReading: (reading: TargetReading) => void,
): () => Promise<void> {
  const { metricsUrl } = preflight
  if (metricsUrl === null) return async () => {}
  const nowMs = (): number => clock.nowMs() - startAtMs
  const visitor = openVisitor(stepTargetOptions(order, { env, nowMs }))
  const { metricsIntervalMs: intervalMs } = order.target
  const poll = pollTargetMetrics({ visitor, url: metricsUrl, mapping: null, intervalMs, nowMs, onReading })
  return async () => {
    poll.stop()
    await visitor.close()
  }
}

function factsOf({ order, preflight, slo }: ProbeRun): Parameters<typeof summariseStep>[0]['facts'] {
  return {
    level: order.level,
    batchControl: 'none',
    thinkTimeS: order.workload.thinkTimeS,
    slo,
    lengthsForced: order.workload.ignoreEos,
    cacheReuse: order.workload.sharedPrefixTokens > 0,
    zeroLoadTtftMs: preflight.report.probes[0]?.ttftMs ?? null,
    gpusPerReplica: null,
    fingerprint: preflight.report.fingerprint === null ? null : { ...preflight.report.fingerprint },
  }
}
