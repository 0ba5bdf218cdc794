/** Achieved over nominal concurrency per level: below 0.97 the nominal figure is not trusted, below 0.90 the level falls. */
import * as Plot from '@observablehq/plot'
import { type ChartContext, COLOURS, draw, levelTicks, shortNumber } from './chart.ts'

export interface LittlesLawData {
  readonly levels: readonly { readonly concurrency: number; readonly ratio: number }[]
}

const TRUSTED_FROM = 0.97
const REJECTED_BELOW = 0.9

export function littlesLawChart(data: LittlesLawData, context: ChartContext): SVGSVGElement {
  const ratios = data.levels.map(({ ratio }) => ratio)
  const domain = [Math.min(0.85, ...ratios), Math.max(1.1, ...ratios)]
  return draw(context, describe(data), {
    x: {
      type: 'log',
      label: 'Nominal concurrency (requests) →',
      ticks: levelTicks(
        data.levels.map(({ concurrency }) => concurrency),
        context,
      ),
      tickFormat: shortNumber,
    },
    y: { label: '↑ Achieved ÷ nominal (ratio)', domain, grid: true },
    marks: [
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
