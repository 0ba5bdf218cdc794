/** What a million output tokens costs at each level against what each user waits per token. */
import * as Plot from '@observablehq/plot'
import { logTicks } from './axis.ts'
import {
  type Annotations,
  type ChartContext,
  COLOURS,
  draw,
  frameOf,
  limitRule,
  logAxis,
  logDomain,
  type Scales,
} from './chart.ts'
import { BESIDE_RULE, mergeNear } from './labels.ts'
import { shortNumber } from './short-number.ts'
import { type SloLine, sloLineText } from './slo-line.ts'

interface Place {
  readonly tpotMs: number
  readonly costPerMillionOutputTokens: number
}

export interface CostLatencyData {
  readonly levels: readonly (Place & { readonly label: string })[]
  readonly slo: SloLine | null
  readonly recommended: (Place & { readonly batch: number }) | null
  /** ISO 4217 code of the price. */
  readonly currency: string
}

export function costLatencyChart(data: CostLatencyData, context: ChartContext): SVGSVGElement {
  const up = logDomain(
    data.levels.map(({ costPerMillionOutputTokens }) => costPerMillionOutputTokens),
    0.1,
  )
  const place = { x: 'tpotMs', y: 'costPerMillionOutputTokens' } as const
  const ticks = logTicks({ domain: up, lengthPx: frameOf(context).upPx, direction: 'up' })
  return draw(context, {
    description: describe(data),
    options: {
      x: {
        label: 'TPOT mean (ms per token) →',
        domain: latencyDomain(data),
        ticks: 6,
        tickFormat: shortNumber,
      },
      y: {
        type: 'log',
        label: `↑ Cost (${data.currency} per million output tokens)`,
        domain: up,
        grid: true,
        ticks,
      },
      marks: [
        logAxis('y', ticks),
        ...(data.slo === null ? [] : [limitRule('x', data.slo.maxMs)]),
        Plot.line(data.levels, { ...place, stroke: COLOURS.measured, strokeOpacity: 0.5 }),
        Plot.dot(data.levels, { ...place, r: 4, fill: COLOURS.measured }),
        ...(data.recommended === null
          ? []
          : [Plot.dot([data.recommended], { ...place, r: 9, stroke: COLOURS.recommended, strokeWidth: 3 })]),
      ],
    },
    annotate: (scales) => annotations(data, scales),
  })
}

function annotations({ levels, slo, recommended }: CostLatencyData, { x, y, frame }: Scales): Annotations {
  const at = (place: Place) => ({ xPx: x(place.tpotMs), yPx: y(place.costPerMillionOutputTokens) })
  const ring = [
    { dxPx: 12, dyPx: -12, anchor: 'start' as const },
    { dxPx: -12, dyPx: 14, anchor: 'end' as const },
    { dxPx: 12, dyPx: 14, anchor: 'start' as const },
  ]
  return {
    labels: [
      ...(slo === null
        ? []
        : [
            {
              xPx: x(slo.maxMs),
              yPx: frame.top,
              text: sloLineText(slo),
              colour: COLOURS.limit,
              places: BESIDE_RULE,
            },
          ]),
      ...(recommended === null
        ? []
        : [
            {
              ...at(recommended),
              text: `batch ${recommended.batch}`,
              colour: COLOURS.recommended,
              places: ring,
            },
          ]),
      ...mergeNear(
        levels.map((level) => ({ ...at(level), text: level.label })),
        8,
      ),
    ],
    dots: [...levels.map(at), ...(recommended === null ? [] : [{ ...at(recommended), radiusPx: 10 }])],
  }
}

function latencyDomain({ levels, slo }: CostLatencyData): [number, number] {
  const values = [...levels.map(({ tpotMs }) => tpotMs), ...(slo === null ? [] : [slo.maxMs])]
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const air = 0.06 * (high - low || high)
  return [low < 0.4 * high ? 0 : low - air, high + air]
}

function describe(data: CostLatencyData) {
  const sentences = data.levels.map(
    (level) =>
      `${level.label}: ${shortNumber(level.costPerMillionOutputTokens)} ${data.currency} at ${shortNumber(level.tpotMs)} ms`,
  )
  return { title: 'Cost against time per output token', summary: `${sentences.join('; ')}.` }
}
