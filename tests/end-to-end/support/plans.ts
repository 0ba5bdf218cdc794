/** Plans for the tests: real ones, made short. */
import type { PlanInput } from '@loadcurve/core/plan/schema'

type Fields = Readonly<Record<string, unknown>>

/** Two closed-loop levels of two seconds each, against the small simulated server. */
export function quickPlan(
  simulatorUrl: string,
  { target = {}, sweep = {}, ...plan }: Fields = {},
): PlanInput {
  return {
    name: 'quick',
    target: { baseUrl: `${simulatorUrl}/v1`, model: 'sim/small', ...(target as object) },
    workload: { inputTokens: { mean: 64 }, outputTokens: { mean: 32, stdev: 4 } },
    sweep: {
      concurrency: [2, 6],
      order: 'ascending',
      verify: false,
      step: {
        minDurationS: 2,
        maxDurationS: 4,
        minRequests: 10,
        residences: 2,
        maxWarmupS: 2,
        extend: false,
      },
      ...(sweep as object),
    },
    slo: [{ metric: 'ttft', percentile: 95, maxMs: 5000 }],
    ...plan,
  } as PlanInput
}
