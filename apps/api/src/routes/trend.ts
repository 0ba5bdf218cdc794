/** The nightly history of a plan: each figure over its runs, and whether the newest one is worse than its own past. */
import { judgeRegression, type Regression } from '@loadcurve/core/run/regression'
import { getRecommendation } from '@loadcurve/store/recommendations'
import { listRuns, type StoredRun } from '@loadcurve/store/runs'
import { Type } from 'typebox'
import type { Api } from '../api.ts'
import { IdParams } from '../id-params.ts'
import { measuredLevels } from '../measured-levels.ts'
import { failures } from '../problem.ts'
import { findPlan } from './plans.ts'

const RUNS_MAX = 60

const METRICS = [
  { name: 'peakOutputTokensPerS', label: 'Peak throughput', unit: 'tokens/s', isBetter: 'higher' },
  { name: 'maxRequestsPerS', label: 'Load per replica', unit: 'requests/s', isBetter: 'higher' },
  { name: 'recommendedBatch', label: 'Batch', unit: 'requests', isBetter: 'higher' },
  { name: 'tpotMs', label: 'TPOT at the lowest level', unit: 'ms', isBetter: 'lower' },
  { name: 'ttftMs', label: 'TTFT at the lowest level', unit: 'ms', isBetter: 'lower' },
] as const
type MetricName = (typeof METRICS)[number]['name']

interface TrendRun {
  readonly runId: string
  readonly at: string
  readonly fingerprintHash: string | null
  readonly values: Readonly<Record<MetricName, number | null>>
}

export async function trendRoutes(app: Api): Promise<void> {
  app.get(
    '/v1/plans/:id/trend',
    {
      schema: {
        tags: ['schedules'],
        summary: 'The trend of a plan over its finished runs',
        description:
          'Oldest first. A verdict holds the newest run against the earlier ones of the same server (95 % prediction ' +
          'interval); a changed fingerprint starts the history anew (`restartedAt`).',
        params: IdParams,
        response: {
          200: Type.Object({
            metrics: Type.Array(Type.Unknown({ description: 'A figure with its unit and its verdict.' })),
            runs: Type.Array(Type.Unknown({ description: 'A finished run with its figures.' })),
            restartedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
          }),
          ...failures(400, 401, 404),
        },
      },
    },
    async ({ params }) => {
      const plan = await findPlan(app, params.id)
      const page = await listRuns(app.context.db, { planId: plan.id, state: 'finished', limit: RUNS_MAX })
      const runs = await Promise.all([...page.runs].reverse().map((run) => trendRun(app, run)))
      const { current, restartedAt } = sameServer(runs)
      const metrics = METRICS.map((metric) => ({ ...metric, regression: regressionOf(current, metric) }))
      return { metrics, runs, restartedAt }
    },
  )
}

/** The runs since the server last changed, and when that was; null when it never did. */
function sameServer(runs: readonly TrendRun[]): { current: readonly TrendRun[]; restartedAt: string | null } {
  const newest = runs.at(-1)?.fingerprintHash ?? null
  const lastOther = runs.findLastIndex(({ fingerprintHash }) => fingerprintHash !== newest)
  const current = runs.slice(lastOther + 1)
  return { current, restartedAt: lastOther < 0 ? null : (current[0]?.at ?? null) }
}

function regressionOf(runs: readonly TrendRun[], metric: (typeof METRICS)[number]): Regression {
  return judgeRegression({ values: runs.map(({ values }) => values[metric.name]), isBetter: metric.isBetter })
}

async function trendRun(app: Api, run: StoredRun): Promise<TrendRun> {
  const { steps } = await measuredLevels(app.context.db, run)
  const recommendation = await getRecommendation(app.context.db, run.id)
  const closed = steps.filter(({ level }) => level.concurrency !== null)
  const lowest = closed.toSorted(
    (left, right) => (left.level.concurrency ?? 0) - (right.level.concurrency ?? 0),
  )[0]
  const peak = Math.max(...closed.map(({ summary }) => summary.outputTokensPerS ?? 0), 0)
  return {
    runId: run.id,
    at: (run.finishedAt ?? run.createdAt).toISOString(),
    fingerprintHash: run.fingerprintHash,
    values: {
      peakOutputTokensPerS: peak > 0 ? peak : null,
      maxRequestsPerS: recommendation?.openLoop?.maxRequestsPerS ?? null,
      recommendedBatch: recommendation?.batch.recommended ?? null,
      tpotMs: lowest?.summary.latency.tpot.mean ?? null,
      ttftMs: lowest?.summary.latency.ttft.mean ?? null,
    },
  }
}
