/** Percentiles of one latency metric against the achieved concurrency, with the SLO as a rule. */
import * as Plot from '@observablehq/plot'
import { logTicks, thinned } from './axis.ts'
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
import { type Box, ON_RULE, type WantedLabel } from './labels.ts'
import { shortNumber } from './short-number.ts'
import { type SloLine, sloLineText } from './slo-line.ts'

export interface LatencyLevel {
  readonly achievedConcurrency: number
  readonly p50: number | null
  readonly p95: number | null
  readonly p99: number | null
}

export interface LatencyConcurrencyData {
  /** `TTFT`, `TPOT`, ... */
  readonly metric: string
  readonly levels: readonly LatencyLevel[]
  readonly slo: SloLine | null
}

const PERCENTILES = [
  { key: 'p50', colour: COLOURS.measured, dash: undefined },
  { key: 'p95', colour: COLOURS.second, dash: '6 3' },
  { key: 'p99', colour: COLOURS.third, dash: '2 3' },
] as const
const MARGINS = { marginRight: 40 }
const LINE_PX = 15.5

export function latencyConcurrencyChart(data: LatencyConcurrencyData, context: ChartContext): SVGSVGElement {
  const series = seriesOf(data)
  const values = series.flatMap(({ points }) => points.map(({ y }) => y))
  const { acrossPx, upPx } = frameOf(context, MARGINS)
  const across = logDomain(
    data.levels.map((level) => level.achievedConcurrency),
    0.02,
  )
  const up = logDomain([...values, ...(data.slo === null ? [] : [data.slo.maxMs])])
  const loads = data.levels.map((level) => roundLoad(level.achievedConcurrency))
  const loadTicks = thinned(loads, { domain: across, lengthPx: acrossPx, direction: 'across' })
  const valueTicks = logTicks({ domain: up, lengthPx: upPx, direction: 'up' })
  return draw(context, {
    description: describe(data),
    margins: MARGINS,
    options: {
      x: {
        type: 'log',
        label: 'Achieved concurrency (requests in flight) →',
        domain: across,
      },
      y: {
        type: 'log',
        label: `↑ ${data.metric} (ms)`,
        domain: up,
        grid: true,
        ticks: valueTicks,
      },
      marks: [
        logAxis('x', loadTicks),
        logAxis('y', valueTicks),
        ...(data.slo === null ? [] : [limitRule('y', data.slo.maxMs)]),
        ...lineMarks(series),
      ],
    },
    annotate: (scales) => annotations(data, series, scales),
  })
}

type Series = readonly {
  readonly key: string
  readonly colour: string
  readonly dash: string | undefined
  readonly points: readonly { readonly x: number; readonly y: number }[]
}[]

function seriesOf({ levels }: LatencyConcurrencyData): Series {
  return PERCENTILES.map((percentile) => ({
    ...percentile,
    points: levels.flatMap((level) => {
      const y = level[percentile.key]
      return y === null || y <= 0 ? [] : [{ x: level.achievedConcurrency, y }]
    }),
  }))
}

function lineMarks(series: Series): Plot.Markish[] {
  return series.flatMap(({ points, colour, dash }) => [
    Plot.line(points, {
      x: 'x',
      y: 'y',
      stroke: colour,
      strokeWidth: 2,
      ...(dash === undefined ? {} : { strokeDasharray: dash }),
    }),
    Plot.dot(points, { x: 'x', y: 'y', fill: colour, r: 3 }),
  ])
}

function annotations({ slo }: LatencyConcurrencyData, series: Series, { x, y, frame }: Scales): Annotations {
  const ends = series.flatMap(({ key, colour, points }) => {
    const end = points.at(-1)
    return end === undefined ? [] : [{ xPx: x(end.x), yPx: y(end.y), text: key, colour }]
  })
  const rule =
    slo === null
      ? []
      : [
          {
            xPx: frame.left,
            yPx: y(slo.maxMs),
            text: sloLineText(slo),
            colour: COLOURS.limit,
            places: ON_RULE,
          },
        ]
  return { labels: [...spread(ends, frame), ...rule] }
}

// Each line is named where it ends. Names of lines that end together are pushed apart, the slower one upwards, and all
// of them down again where that would leave the frame.
function spread(ends: readonly WantedLabel[], { top, bottom }: Box): WantedLabel[] {
  const upwards = [...ends].sort((left, right) => right.yPx - left.yPx)
  const places: number[] = []
  for (const { yPx } of upwards) places.push(Math.min(yPx, (places.at(-1) ?? bottom + LINE_PX) - LINE_PX))
  const highestPx = top + 2
  for (let index = places.length - 1; index >= 0; index--) {
    const freePx = (places[index + 1] ?? highestPx - LINE_PX) + LINE_PX
    places[index] = Math.max(places[index] ?? highestPx, freePx)
  }
  return upwards.map((end, index) => ({
    ...end,
    places: [{ dxPx: 7, dyPx: (places[index] ?? end.yPx) - end.yPx, anchor: 'start' }],
  }))
}

const roundLoad = (value: number): number => (value < 10 ? Number(value.toPrecision(1)) : Math.round(value))

function describe(data: LatencyConcurrencyData) {
  const sentences = data.levels.map(
    (level) =>
      `at ${shortNumber(level.achievedConcurrency)} in flight: ` +
      PERCENTILES.flatMap(({ key }) => {
        const value = level[key]
        return value === null ? [] : [`${key} ${shortNumber(value)} ms`]
      }).join(', '),
  )
  return { title: `${data.metric} against concurrency`, summary: `${sentences.join('; ')}.` }
}
