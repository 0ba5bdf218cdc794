/** Which charts a run has, each from the same report document; a chart without data is left out. */
import type { FitLevelReport } from '@loadcurve/core/capacity/recommendation'
import type { LatencyStatistics } from '@loadcurve/core/metrics/step-summary'
import type { ChartContext } from './charts/chart.ts'
import { costLatencyChart } from './charts/cost-latency.ts'
import { distributionChart } from './charts/distribution.ts'
import { latencyConcurrencyChart } from './charts/latency-concurrency.ts'
import { littlesLawChart } from './charts/littles-law.ts'
import { openLoopChart } from './charts/open-loop.ts'
import type { SloLine } from './charts/slo-line.ts'
import { throughputLatencyChart } from './charts/throughput-latency.ts'
import { fittedCurve, kneeOf } from './fitted-curve.ts'
import { exclusions, levelLabel, type ReportStep, type RunReport } from './run-report.ts'

export interface RunChart {
  readonly id: string
  readonly title: string
  /** How to read it. */
  readonly caption: string
  readonly draw: (context: ChartContext) => SVGSVGElement
}

type MeasuredStep = ReportStep & { readonly summary: NonNullable<ReportStep['summary']> }

export function runCharts(report: RunReport): readonly RunChart[] {
  const swept = sweptSteps(report)
  return [
    ...tradeChart(report, swept),
    ...latencyChart(report, swept, { key: 'ttft', metric: 'TTFT' }),
    ...latencyChart(report, swept, { key: 'tpot', metric: 'TPOT' }),
    ...openLoop(report),
    ...cost(report, swept),
    ...littlesLaw(swept),
    ...distribution(swept, { key: 'ttft', metric: 'TTFT' }),
    ...distribution(swept, { key: 'tpot', metric: 'TPOT' }),
    ...distribution(swept, { key: 'gap', metric: 'Gap between content events' }),
  ]
}

/** The levels of the curve, by load: concurrencies, or arrival rates where the plan swept nothing else. */
function sweptSteps({ steps }: RunReport): readonly MeasuredStep[] {
  const measured = steps.filter(
    (step): step is MeasuredStep => step.summary !== null && step.purpose !== 'verify',
  )
  const closed = measured.filter(({ level }) => level.concurrency !== null)
  const loadOf = ({ level }: ReportStep) => level.concurrency ?? level.ratePerS ?? 0
  return (closed.length > 0 ? closed : measured).toSorted((left, right) => loadOf(left) - loadOf(right))
}

/** The plan's promise on a metric, or null. */
function promised({ plan }: RunReport, ...metrics: readonly string[]): SloLine | null {
  return plan.slo.find((target) => metrics.includes(target.metric)) ?? null
}

/** A run names its levels by their steps; a table by their load. */
function fittedLevel(report: RunReport, { step, level }: ReportStep): FitLevelReport | null {
  const levels = report.recommendation?.fit?.levels ?? []
  return (
    levels.find(({ label }) => label === `step ${step + 1}`) ??
    levels.find(({ concurrency }) => concurrency !== null && concurrency === level.concurrency) ??
    null
  )
}

function operatingPlace({ recommendation }: RunReport) {
  const point = recommendation?.operatingPoint ?? null
  const batch = recommendation?.batch.recommended ?? null
  const tpotMs = point === null ? null : (point.tpotMs.mean ?? point.tpotMs.p50)
  if (point === null || batch === null || tpotMs === null) return null
  return { batch, tpotMs, outputTokensPerS: point.outputTokensPerS }
}

function tradeChart(report: RunReport, swept: readonly MeasuredStep[]): readonly RunChart[] {
  const slo = promised(report, 'tpot')
  const levels = swept.flatMap((step) => {
    const fitted = fittedLevel(report, step)
    const tpotMs = fitted?.tpotMs ?? step.summary.latency.tpot.mean
    const { outputTokensPerS } = step.summary
    if (tpotMs === null || outputTokensPerS === null) return []
    const excluded = exclusions(step)[0] ?? fitted?.excluded ?? null
    const promisedTpotMs = slo === null ? null : percentileOf(step, slo)
    return [{ label: levelLabel(step), outputTokensPerS, tpotMs, promisedTpotMs, excluded }]
  })
  if (levels.length < 2) return []
  const fit = report.recommendation?.fit ?? null
  const data = {
    levels,
    fitted: fit === null ? [] : fittedCurve(fit),
    slo,
    recommended: operatingPlace(report),
    knee: fit === null ? null : kneeOf(fit),
  }
  const whiskers =
    slo === null || slo.percentile === 'mean'
      ? ''
      : ` Whiskers reach from the mean to the p${slo.percentile} of the promise.`
  return [
    {
      id: 'trade',
      title: 'Throughput against time per token',
      caption: `Dots are measured levels, hollow when kept out of the fit; the line is the fit with its 90 % band; the knee is shown and decides nothing.${whiskers}`,
      draw: (context) => throughputLatencyChart(data, context),
    },
  ]
}

/** The promise's percentile of TPOT where the summary has it, else null. */
function percentileOf({ summary }: MeasuredStep, { percentile }: SloLine): number | null {
  const name = PERCENTILES.find((candidate) => candidate === `p${percentile}`)
  return name === undefined ? null : known(summary.latency.tpot, name)
}

const PERCENTILES = ['p50', 'p90', 'p95', 'p99'] as const

/** A percentile that n is large enough for. */
function known(latency: LatencyStatistics, name: (typeof PERCENTILES)[number]): number | null {
  return latency.tooFew.includes(name) ? null : latency[name]
}

function latencyChart(
  report: RunReport,
  swept: readonly MeasuredStep[],
  { key, metric }: { readonly key: 'ttft' | 'tpot'; readonly metric: string },
): readonly RunChart[] {
  const levels = swept.flatMap((step) => {
    const { achieved } = step.summary.concurrency
    const latency = step.summary.latency[key]
    const [p50, p95, p99] = [known(latency, 'p50'), known(latency, 'p95'), known(latency, 'p99')]
    return achieved === null || achieved <= 0 || p50 === null
      ? []
      : [{ achievedConcurrency: achieved, p50, p95, p99 }]
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

function littlesLaw(swept: readonly MeasuredStep[]): readonly RunChart[] {
  const levels = swept.flatMap(({ level, summary }) =>
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
  swept: readonly MeasuredStep[],
  { key, metric }: { readonly key: 'ttft' | 'tpot' | 'gap'; readonly metric: string },
): readonly RunChart[] {
  const levels = swept.flatMap((step) => {
    const { quantiles } = step.summary.latency[key]
    const points = quantiles.map((ms, index) => ({ fraction: index / (quantiles.length - 1), ms }))
    return points.some(({ ms }) => ms > 0) ? [{ label: levelLabel(step), quantiles: points }] : []
  })
  if (levels.length === 0) return []
  return [
    {
      id: `${key}-distribution`,
      title: `Distribution of ${metric}`,
      caption:
        'What fraction of the measured requests took at most so long, one line per level, named by its load.',
      draw: (context) => distributionChart({ metric, levels }, context),
    },
  ]
}

function cost(report: RunReport, swept: readonly MeasuredStep[]): readonly RunChart[] {
  const { hardware } = report.plan
  if (hardware === null || hardware.pricePerGpuHour === null) return []
  const pricePerS = (hardware.pricePerGpuHour * hardware.gpusPerReplica) / 3600
  const costOf = (outputTokensPerS: number) => (pricePerS / outputTokensPerS) * 1e6
  const levels = swept.flatMap((step) => {
    const tpotMs = step.summary.latency.tpot.mean
    const { outputTokensPerS } = step.summary
    if (tpotMs === null || outputTokensPerS === null || outputTokensPerS <= 0) return []
    return [{ label: levelLabel(step), tpotMs, costPerMillionOutputTokens: costOf(outputTokensPerS) }]
  })
  if (levels.length < 2) return []
  const place = operatingPlace(report)
  const recommended =
    place === null ? null : { ...place, costPerMillionOutputTokens: costOf(place.outputTokensPerS) }
  const data = { levels, slo: promised(report, 'tpot'), recommended, currency: 'USD' }
  return [
    {
      id: 'cost',
      title: 'Cost against time per token',
      caption: `At ${hardware.pricePerGpuHour} USD per GPU and hour${hardware.priceDate === null ? '' : `, price of ${hardware.priceDate}`}, with the replica kept busy at each level.`,
      draw: (context) => costLatencyChart(data, context),
    },
  ]
}

function openLoop(report: RunReport): readonly RunChart[] {
  const answer = report.recommendation?.openLoop ?? null
  const points = (answer?.at ?? []).flatMap(({ requestsPerS, ttftMs }) =>
    ttftMs === null ? [] : [{ requestsPerS, p95Ms: ttftMs.p95, p95BoundMs: ttftMs.p95Bound }],
  )
  const measured = report.steps.flatMap(({ level, summary }) => {
    const p95Ms = summary === null ? null : known(summary.latency.ttftScheduled, 'p95')
    return level.ratePerS === null || p95Ms === null ? [] : [{ requestsPerS: level.ratePerS, p95Ms }]
  })
  if (points.length + measured.length < 2) return []
  const slo = promised(report, 'ttft', 'ttftScheduled')
  const data = { points, measured, slo, maxRequestsPerS: answer?.maxRequestsPerS ?? null }
  return [
    {
      id: 'open-loop',
      title: 'TTFT p95 against arrival rate',
      caption:
        'Predicted for one replica as it was measured, with the range in which a test of 200 requests would land; dots were measured. λ_slo is the rate up to which the promise holds.',
      draw: (context) => openLoopChart(data, context),
    },
  ]
}
