/** Each measured step beside what the simulated server says it really did in the same window. */
import type { Sample } from '@loadcurve/core/metrics/sample'
import type { StepSummary } from '@loadcurve/core/metrics/step-summary'
import type { StepResource } from '@loadcurve/core/run/resources'
import { monotonicOf } from './witness.ts'

export type SampleRow = Sample & { readonly step: number; readonly attempt: number; readonly shard: number }

export interface RealisedStep {
  readonly step: StepResource
  readonly summary: StepSummary
  readonly realised: {
    readonly decodeBatchMean: number | null
    readonly outputTokensPerS: number
    readonly tpotMeanMs: number | null
  }
}

/** Differences as fractions of what the server realised. */
export interface Differences {
  readonly decodeBatch: number
  readonly outputTokensPerS: number
  readonly tpotMean: number
}

export async function exportedSamples(url: string, runId: string): Promise<SampleRow[]> {
  const text = await (await fetch(`${url}/v1/runs/${runId}/samples`)).text()
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as SampleRow]))
}

/** The finished steps of a run. */
export async function realisedSteps(
  url: string,
  simulatorUrl: string,
  runId: string,
): Promise<RealisedStep[]> {
  const { items } = (await (await fetch(`${url}/v1/runs/${runId}/steps`)).json()) as { items: StepResource[] }
  const finished = items.filter(({ state, startAt }) => state === 'finished' && startAt !== null)
  return Promise.all(
    finished.map(async (step) => {
      const summary = step.summary as StepSummary
      const sinceMs = monotonicOf(step.startAt ?? '') + summary.windowStartMs
      const query = `since=${sinceMs}&until=${sinceMs + 1000 * summary.windowS}`
      const realised = await (await fetch(`${simulatorUrl}/sim/realised?${query}`)).json()
      return { step, summary, realised: realised as RealisedStep['realised'] }
    }),
  )
}

export function differences({ summary, realised }: RealisedStep): Differences {
  const apart = (ours: number | null, theirs: number | null) =>
    (ours ?? Number.NaN) / (theirs ?? Number.NaN) - 1
  return {
    decodeBatch: apart(summary.concurrency.decodeBatch, realised.decodeBatchMean),
    outputTokensPerS: apart(summary.outputTokensPerS, realised.outputTokensPerS),
    tpotMean: apart(summary.latency.tpot.mean, realised.tpotMeanMs),
  }
}
