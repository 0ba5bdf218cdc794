/** Achieved over nominal concurrency per level: below 0.97 the nominal figure is not trusted, below 0.90 the level falls. */
import * as Plot from '@observablehq/plot'
import { thinned } from './axis.ts'
import { type ChartContext, COLOURS, draw, frameOf, logAxis, logDomain } from './chart.ts'
import type { LabelPlace } from './labels.ts'
import { shortNumber } from './short-number.ts'

export interface LittlesLawData {
  readonly levels: readonly { readonly concurrency: number; readonly ratio: number }[]
}

const TRUSTED_FROM = 0.97
const REJECTED_BELOW = 0.9
const ABOVE: readonly LabelPlace[] = [{ dxPx: -2, dyPx: -9, anchor: 'end' }]
const BELOW: readonly LabelPlace[] = [{ dxPx: -2, dyPx: 10, anchor: 'end' }]

export function littlesLawChart(data: LittlesLawData, context: ChartContext): SVGSVGElement {
  const ratios = data.levels.map(({ ratio }) => ratio)
  const loads = data.levels.map(({ concurrency }) => concurrency)
  const across = logDomain(loads, 0.03)
  const lengthPx = frameOf(context).acrossPx
  const ticks = thinned(loads, { domain: across, lengthPx, direction: 'across' })
  return draw(context, {
    description: describe(data),
    options: {
      x: {
        type: 'log',
        label: 'Nominal concurrency (requests) →',
        domain: across,
      },
      y: {
        label: '↑ Achieved ÷ nominal (ratio)',
        domain: [Math.min(0.85, ...ratios) - 0.01, Math.max(1.1, ...ratios)],
        grid: true,
        ticks: 5,
      },
      marks: [
        logAxis('x', ticks),
        Plot.ruleY([1], { stroke: COLOURS.rule }),
        Plot.ruleY([TRUSTED_FROM], { stroke: COLOURS.second, strokeDasharray: '2 3' }),
        Plot.ruleY([REJECTED_BELOW], { stroke: COLOURS.limit, strokeDasharray: '6 4' }),
        Plot.dot(data.levels, {
          x: 'concurrency',
          y: 'ratio',
          r: 4,
          fill: ({ ratio }: { ratio: number }) => (ratio < REJECTED_BELOW ? COLOURS.limit : COLOURS.measured),
        }),
      ],
    },
    annotate: ({ x, y, frame }) => ({
      labels: [
        { xPx: frame.right, yPx: y(TRUSTED_FROM), text: 'trusted', colour: COLOURS.second, places: ABOVE },
        { xPx: frame.right, yPx: y(REJECTED_BELOW), text: 'rejected', colour: COLOURS.limit, places: BELOW },
      ],
      dots: data.levels.map(({ concurrency, ratio }) => ({ xPx: x(concurrency), yPx: y(ratio) })),
    }),
  })
}

function describe(data: LittlesLawData) {
  const broken = data.levels.filter(({ ratio }) => ratio < REJECTED_BELOW)
  const list = broken.map(({ concurrency, ratio }) => `${concurrency} (${shortNumber(ratio)})`).join(', ')
  const summary =
    broken.length === 0
      ? `All ${data.levels.length} levels reached at least 90 % of their nominal concurrency.`
      : `Levels that were not reached: ${list}.`
  return { title: "Little's-law ratio per level", summary }
}
