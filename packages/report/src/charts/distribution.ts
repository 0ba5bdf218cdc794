/** Empirical distribution of one latency metric, a line per level: what fraction of requests took at most so long. */
import * as Plot from '@observablehq/plot'
import { logTicks } from './axis.ts'
import { type ChartContext, draw, frameOf, logAxis, logDomain, type Scales } from './chart.ts'
import { mergeNear, type WantedLabel } from './labels.ts'
import { shortNumber } from './short-number.ts'

export interface DistributionData {
  readonly metric: string
  /** In order of load. */
  readonly levels: readonly {
    readonly label: string
    /** Quantiles, increasing in both: aggregated before they come here, never raw samples. */
    readonly quantiles: readonly { readonly fraction: number; readonly ms: number }[]
  }[]
}

const MARGINS = { marginTop: 48 }
/** Names of lines that end closer than this become one: `1 … 16`. */
const NEAR_PX = 26

export function distributionChart(data: DistributionData, context: ChartContext): SVGSVGElement {
  const points = data.levels.flatMap(({ label, quantiles }) =>
    quantiles.filter(({ ms }) => ms > 0).map(({ fraction, ms }) => ({ label, percent: 100 * fraction, ms })),
  )
  const domain = logDomain(points.map(({ ms }) => ms))
  const colourOf = levelColours(data)
  const ticks = logTicks({
    domain,
    lengthPx: frameOf(context, MARGINS).acrossPx,
    direction: 'across',
  })
  return draw(context, {
    description: describe(data),
    margins: MARGINS,
    options: {
      x: {
        type: 'log',
        label: `${data.metric} (ms) →`,
        domain,
      },
      y: {
        label: '↑ Requests at or below (%)',
        domain: [0, 100],
        grid: true,
        ticks: [0, 25, 50, 75, 100],
      },
      marks: [
        logAxis('x', ticks),
        Plot.line(points, {
          x: 'ms',
          y: 'percent',
          z: 'label',
          stroke: ({ label }: { label: string }) => colourOf.get(label),
          strokeWidth: 2,
          curve: 'step-after',
        }),
      ],
    },
    annotate: (scales) => ({ labels: endLabels(data, colourOf, scales) }),
  })
}

/**
 * From the lightest load to the heaviest, from one colour of the theme to another: in either theme each of them stands
 * out from the paper, which a scheme from black to yellow does not.
 */
function levelColours({ levels }: DistributionData): Map<string, string> {
  return new Map(
    levels.map(({ label }, order) => {
      const share = levels.length < 2 ? 0 : Math.round((100 * order) / (levels.length - 1))
      return [label, `color-mix(in oklab, var(--second) ${share}%, var(--measured))`]
    }),
  )
}

// Each line is named where it ends, above the frame.
function endLabels(
  { levels }: DistributionData,
  colourOf: Map<string, string>,
  { x, frame }: Scales,
): WantedLabel[] {
  const ends = levels.flatMap(({ label, quantiles }) => {
    const end = quantiles.at(-1)
    if (end === undefined || end.ms <= 0) return []
    const colour = colourOf.get(label) ?? 'var(--ink)'
    return [{ xPx: x(end.ms), yPx: frame.top, text: label, colour }]
  })
  const places = [0, -14, 14].map((dxPx) => ({ dxPx, dyPx: -10, anchor: 'middle' as const }))
  return mergeNear(ends, NEAR_PX).map((label) => ({ ...label, places }))
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
