/** Empirical distribution of one latency metric, a line per level: what fraction of requests took at most so long. */
import * as Plot from '@observablehq/plot'
import { type ChartContext, draw, shortNumber } from './chart.ts'

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
  return draw(context, describe(data), {
    x: { type: 'log', label: `${data.metric} (ms) →`, ticks: 5, tickFormat: shortNumber },
    y: { label: '↑ Requests at or below (%)', domain: [0, 100], grid: true, percent: true },
    color: { type: 'ordinal', scheme: 'viridis', domain: data.levels.map(({ label }) => label) },
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
    ],
  })
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
