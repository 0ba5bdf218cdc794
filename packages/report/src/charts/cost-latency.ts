/** What a million output tokens costs at each level against what each user waits per token. */
import * as Plot from '@observablehq/plot'
import { axisPosition, type ChartContext, COLOURS, draw, keepApart, shortNumber } from './chart.ts'

export interface CostLatencyData {
  readonly levels: readonly {
    readonly label: string
    readonly tpotMs: number
    readonly costPerMillionOutputTokens: number
  }[]
  readonly statistic: string
  readonly sloTpotMs: number | null
  /** ISO 4217 code of the price. */
  readonly currency: string
}

export function costLatencyChart(data: CostLatencyData, context: ChartContext): SVGSVGElement {
  const xMax = 1.08 * Math.max(...data.levels.map(({ tpotMs }) => tpotMs), data.sloTpotMs ?? 0)
  const costs = data.levels.map(({ costPerMillionOutputTokens }) => costPerMillionOutputTokens)
  const yDomain: [number, number] = [0.8 * Math.min(...costs), 1.4 * Math.max(...costs)]
  return draw(context, describe(data), {
    x: { label: `TPOT ${data.statistic} (ms per token) →`, domain: [0, xMax], tickFormat: shortNumber },
    y: {
      type: 'log',
      label: `↑ Cost (${data.currency} per million output tokens)`,
      domain: yDomain,
      grid: true,
      ticks: 5,
      tickFormat: shortNumber,
    },
    marks: [
      Plot.line(data.levels, { x: 'tpotMs', y: 'costPerMillionOutputTokens', stroke: COLOURS.fitted }),
      Plot.dot(data.levels, { x: 'tpotMs', y: 'costPerMillionOutputTokens', r: 4, fill: COLOURS.measured }),
      ...(data.sloTpotMs === null
        ? []
        : [
            Plot.ruleX([data.sloTpotMs], { stroke: COLOURS.limit, strokeDasharray: '6 4', strokeWidth: 1.5 }),
          ]),
      Plot.text(placeLabels(data, { xMax, yDomain }, context), {
        x: 'x',
        y: 'y',
        text: 'text',
        dy: -12,
        fill: 'var(--ink)',
      }),
    ],
  })
}

function placeLabels(
  data: CostLatencyData,
  axes: { readonly xMax: number; readonly yDomain: [number, number] },
  context: ChartContext,
) {
  const labels = data.levels.map((level) => ({
    x: level.tpotMs,
    y: level.costPerMillionOutputTokens,
    text: level.label,
  }))
  return keepApart(labels, {
    x: axisPosition({ domain: [0, axes.xMax], lengthPx: context.widthPx - 84, logarithmic: false }),
    y: axisPosition({
      domain: axes.yDomain,
      lengthPx: Math.min(400, context.widthPx * 0.5) - 68,
      logarithmic: true,
    }),
  })
}

function describe(data: CostLatencyData) {
  const sentences = data.levels.map(
    (level) =>
      `${level.label}: ${shortNumber(level.costPerMillionOutputTokens)} ${data.currency} at ${shortNumber(level.tpotMs)} ms`,
  )
  return { title: 'Cost against time per output token', summary: `${sentences.join('; ')}.` }
}
