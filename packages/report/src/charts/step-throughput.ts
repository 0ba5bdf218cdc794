/** Throughput over time inside one step, with the measured window shaded: is it steady where it was measured? */
import * as Plot from '@observablehq/plot'
import { type ChartContext, COLOURS, draw } from './chart.ts'
import { BESIDE_RULE, ON_RULE } from './labels.ts'
import { shortNumber } from './short-number.ts'

export interface StepThroughputData {
  readonly bins: readonly { readonly atS: number; readonly outputTokensPerS: number }[]
  readonly windowS: readonly [number, number]
}

export function stepThroughputChart(data: StepThroughputData, context: ChartContext): SVGSVGElement {
  const peak = Math.max(...data.bins.map(({ outputTokensPerS }) => outputTokensPerS), Number.MIN_VALUE)
  const inside = data.bins.filter(({ atS }) => atS >= data.windowS[0] && atS < data.windowS[1])
  const mean = inside.reduce((sum, bin) => sum + bin.outputTokensPerS, 0) / Math.max(1, inside.length)
  return draw(context, {
    description: {
      title: 'Throughput over time',
      summary: `Mean inside the window ${shortNumber(mean)} output tokens/s.`,
    },
    options: {
      x: { label: 'Time in the step (s) →', tickFormat: shortNumber },
      y: { label: '↑ Output tokens/s', domain: [0, 1.2 * peak], grid: true, tickFormat: shortNumber },
      marks: [
        Plot.rectX([data.windowS], { x1: '0', x2: '1', fill: COLOURS.recommended, fillOpacity: 0.1 }),
        Plot.line(data.bins, { x: 'atS', y: 'outputTokensPerS', stroke: COLOURS.measured, strokeWidth: 1.5 }),
        Plot.ruleY([mean], { stroke: COLOURS.fitted, strokeDasharray: '4 3' }),
      ],
    },
    annotate: ({ x, y, frame }) => ({
      labels: [
        {
          xPx: frame.left,
          yPx: y(mean),
          text: `mean ${shortNumber(mean)}/s`,
          colour: COLOURS.fitted,
          places: ON_RULE,
        },
        { xPx: x(data.windowS[0]), yPx: frame.top, text: 'measured window', places: BESIDE_RULE },
      ],
    }),
  })
}
