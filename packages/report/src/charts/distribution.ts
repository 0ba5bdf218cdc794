/** Empirical distribution of one latency metric, a line per level: what fraction of requests took at most so long. */
import * as Plot from '@observablehq/plot'
import { axisPosition, type ChartContext, draw, keepApart, shortNumber } from './chart.ts'

export interface DistributionData {
  readonly metric: string
  readonly levels: readonly {
    readonly label: string
    /** Quantiles, increasing in both: aggregated before they come here, never raw samples. */
    readonly quantiles: readonly { readonly fraction: number; readonly ms: number }[]
  }[]
}

export function distributionChart(data: DistributionData, context: ChartContext): SVGSVGElement {
  const points = data.levels.flatMap(({ label, quantiles }, order) =>
    quantiles.filter(({ ms }) => ms > 0).map(({ fraction, ms }) => ({ label, order, fraction, ms })),
  )
  const domain = [Math.min(...points.map(({ ms }) => ms)), Math.max(...points.map(({ ms }) => ms))] as const
  return draw(context, describe(data), {
    x: { type: 'log', label: `${data.metric} (ms) →`, ticks: 5, tickFormat: shortNumber },
    y: { label: '↑ Requests at or below (%)', domain: [0, 100], grid: true, percent: true },
    color: { type: 'ordinal', scheme: 'viridis', domain: data.levels.map(({ label }) => label) },
    marginTop: 44,
    marks: [
      Plot.ruleY([95], { stroke: 'var(--rule)', strokeDasharray: '2 3' }),
      Plot.line(points, {
        x: 'ms',
        y: 'fraction',
        stroke: 'label',
        z: 'label',
        strokeWidth: 2,
        curve: 'step-after',
      }),
      Plot.text(levelLabels(data, domain, context), {
        x: 'x',
        y: 'y',
        text: 'text',
        dy: -10,
        fill: 'var(--ink)',
      }),
    ],
  })
}

// Each line is named where it ends; of names that would touch, the lower level's stays.
function levelLabels(data: DistributionData, domain: readonly [number, number], context: ChartContext) {
  const ends = data.levels.flatMap(({ label, quantiles }) => {
    const end = quantiles.at(-1)
    return end === undefined || end.ms <= 0 ? [] : [{ x: end.ms, y: 100, text: label }]
  })
  const x = axisPosition({ domain, lengthPx: context.widthPx - 84, logarithmic: true })
  return keepApart(ends, { x, y: (value) => value })
}

function describe(data: DistributionData) {
  const sentences = data.levels.map(({ label, quantiles }) => {
    const median = quantiles.find(({ fraction }) => fraction >= 0.5)
    return median === undefined
      ? `${label}: no samples`
      : `${label}: half at or below ${shortNumber(median.ms)} ms`
  })
  return { title: `Distribution of ${data.metric}`, summary: `${sentences.join('; ')}.` }
}
