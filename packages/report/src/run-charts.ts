/** Which charts a run has, each from the same report document; a chart without data is left out. */
import type { ChartContext } from './charts/chart.ts'
import { costLatencyChart } from './charts/cost-latency.ts'
import { distributionChart } from './charts/distribution.ts'
import { latencyConcurrencyChart } from './charts/latency-concurrency.ts'
import { littlesLawChart } from './charts/littles-law.ts'
import { openLoopChart } from './charts/open-loop.ts'
import { throughputLatencyChart } from './charts/throughput-latency.ts'
import { exclusions, levelLabel, type ReportStep, type RunReport } from './run-report.ts'

export interface RunChart {
  readonly id: string
  readonly title: string
  /** How to read it. */
  readonly caption: string
  readonly draw: (context: ChartContext) => SVGSVGElement
}

type ClosedStep = ReportStep & { readonly summary: NonNullable<ReportStep['summary']> }

export function runCharts(report: RunReport): readonly RunChart[] {
  const closed = closedSteps(report)
  if (closed.length === 0) return []
  return [
    ...tradeChart(report, closed),
    ...latencyChart(report, closed, { key: 'ttft', metric: 'TTFT' }),
    ...latencyChart(report, closed, { key: 'tpot', metric: 'TPOT' }),
    ...openLoop(report),
    ...cost(report, closed),
    ...littlesLaw(closed),
    ...distribution(closed, { key: 'ttft', metric: 'TTFT' }),
    ...distribution(closed, { key: 'tpot', metric: 'TPOT' }),
    ...distribution(closed, { key: 'gap', metric: 'Gap between content events' }),
  ]
}

function closedSteps({ steps }: RunReport): readonly ClosedStep[] {
  return steps
    .filter((step): step is ClosedStep => step.summary !== null && step.level.concurrency !== null)
    .sort((left, right) => (left.level.concurrency ?? 0) - (right.level.concurrency ?? 0))
}

/** The plan's promise on a metric, or null. */
function promised({ plan }: RunReport, metric: string) {
  return plan.slo.find((target) => target.metric === metric) ?? null
}

function tradeChart(report: RunReport, closed: readonly ClosedStep[]): readonly RunChart[] {
  const { recommendation } = report
  const levels = closed.flatMap((step) => {
    const fitted = recommendation?.fit?.levels.find((level) => level.concurrency === step.level.concurrency)
    const tpotMs = fitted?.tpotMs ?? step.summary.latency.tpot.mean
    const { outputTokensPerS } = step.summary
    if (tpotMs === null || outputTokensPerS === null) return []
    return [
      {
        label: levelLabel(step),
        outputTokensPerS,
        tpotMs,
        predictedTpotMs: fitted?.predictedTpotMs ?? null,
        boundTpotMs: fitted?.boundTpotMs ?? null,
        excluded: exclusions(step)[0] ?? null,
      },
    ]
  })
  if (levels.length < 2) return []
  const slo = promised(report, 'tpot')
  const point = recommendation?.operatingPoint ?? null
  const pointTpotMs = point === null ? null : (point.tpotMs.mean ?? point.tpotMs.p50)
  const data = {
    levels,
    statistic: 'mean',
    sloTpotMs: slo?.maxMs ?? null,
    recommended:
      point === null || pointTpotMs === null
        ? null
        : {
            batch: recommendation?.batch.recommended ?? 0,
            outputTokensPerS: point.outputTokensPerS,
            tpotMs: pointTpotMs,
          },
    knee: null,
  }
  return [
    {
      id: 'trade',
      title: 'Throughput against time per token',
      caption:
        'Each dot is a measured level, named by its concurrency; the line is the fit with its 90 % band, the ring the recommendation, the dashed line the promise.',
      draw: (context) => throughputLatencyChart(data, context),
    },
  ]
}

function latencyChart(
  report: RunReport,
  closed: readonly ClosedStep[],
  { key, metric }: { readonly key: 'ttft' | 'tpot'; readonly metric: string },
): readonly RunChart[] {
  const levels = closed.flatMap((step) => {
    const { achieved } = step.summary.concurrency
    const { p50, p95, p99 } = step.summary.latency[key]
    return achieved === null || p50 === null ? [] : [{ achievedConcurrency: achieved, p50, p95, p99 }]
  })
  if (levels.length < 2) return []
  const slo = promised(report, key)
  return [
    {
      id: `${key}-concurrency`,
      title: `${metric} against concurrency`,
      caption:
        'Percentiles of each level at the concurrency that was really in flight. A percentile that n is too small for is left out.',
      draw: (context) => latencyConcurrencyChart({ metric, levels, slo }, context),
    },
  ]
}

function littlesLaw(closed: readonly ClosedStep[]): readonly RunChart[] {
  const levels = closed.flatMap(({ level, summary }) =>
    level.concurrency === null || summary.littlesLaw.ratio === null
      ? []
      : [{ concurrency: level.concurrency, ratio: summary.littlesLaw.ratio }],
  )
  if (levels.length < 2) return []
  return [
    {
      id: 'littles-law',
      title: "Little's law",
      caption:
        'What was in flight over what was asked for. Below 0.97 the nominal figure is not trusted; below 0.90 the level is rejected.',
      draw: (context) => littlesLawChart({ levels }, context),
    },
  ]
}

function distribution(
  closed: readonly ClosedStep[],
  { key, metric }: { readonly key: 'ttft' | 'tpot' | 'gap'; readonly metric: string },
): readonly RunChart[] {
  const levels = closed.flatMap((step) => {
    const { quantiles } = step.summary.latency[key]
    const points = quantiles.map((ms, index) => ({ fraction: index / (quantiles.length - 1), ms }))
    return points.length === 0 ? [] : [{ label: levelLabel(step), quantiles: points }]
  })
  if (levels.length === 0) return []
  return [
    {
      id: `${key}-distribution`,
      title: `Distribution of ${metric}`,
      caption: 'What fraction of the measured requests took at most so long, one line per level.',
      draw: (context) => distributionChart({ metric, levels }, context),
    },
  ]
}

function cost(report: RunReport, closed: readonly ClosedStep[]): readonly RunChart[] {
  const { hardware } = report.plan
  if (hardware === null || hardware.pricePerGpuHour === null) return []
  const pricePerS = (hardware.pricePerGpuHour * hardware.gpusPerReplica) / 3600
  const levels = closed.flatMap((step) => {
    const tpotMs = step.summary.latency.tpot.mean
    const { outputTokensPerS } = step.summary
    if (tpotMs === null || outputTokensPerS === null || outputTokensPerS <= 0) return []
    return [
      { label: levelLabel(step), tpotMs, costPerMillionOutputTokens: (pricePerS / outputTokensPerS) * 1e6 },
    ]
  })
  if (levels.length < 2) return []
  const sloTpotMs = promised(report, 'tpot')?.maxMs ?? null
  return [
    {
      id: 'cost',
      title: 'Cost against time per token',
      caption: `At ${hardware.pricePerGpuHour} USD per GPU and hour${hardware.priceDate === null ? '' : `, price of ${hardware.priceDate}`}, with the replica kept busy at each level.`,
      draw: (context) => costLatencyChart({ levels, statistic: 'mean', sloTpotMs, currency: 'USD' }, context),
    },
  ]
}

function openLoop(report: RunReport): readonly RunChart[] {
  const answer = report.recommendation?.openLoop ?? null
  if (answer === null) return []
  const points = answer.at.flatMap(({ requestsPerS, ttftMs }) =>
    ttftMs === null ? [] : [{ requestsPerS, p95Ms: ttftMs.p95, p95BoundMs: ttftMs.p95Bound }],
  )
  if (points.length < 2) return []
  const measured = report.steps.flatMap(({ level, summary }) => {
    const p95Ms = summary?.latency.ttftScheduled.p95 ?? null
    return level.ratePerS === null || p95Ms === null ? [] : [{ requestsPerS: level.ratePerS, p95Ms }]
  })
  const slo = promised(report, 'ttft') ?? promised(report, 'ttftScheduled')
  const data = { points, measured, sloMs: slo?.maxMs ?? null, maxRequestsPerS: answer.maxRequestsPerS }
  return [
    {
      id: 'open-loop',
      title: 'TTFT p95 against arrival rate',
      caption:
        'Predicted for one replica with its bounds; dots were measured. The upright line is the rate up to which the promise holds.',
      draw: (context) => openLoopChart(data, context),
    },
  ]
}
