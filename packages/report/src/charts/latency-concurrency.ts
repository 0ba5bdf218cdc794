/** Percentiles of one latency metric against the achieved concurrency, with the SLO as a rule. */
import * as Plot from '@observablehq/plot'
import { type ChartContext, COLOURS, draw, levelTicks, shortNumber } from './chart.ts'

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
  readonly slo: { readonly percentile: number | 'mean'; readonly maxMs: number } | null
}

const PERCENTILES = [
  { key: 'p50', colour: COLOURS.measured, dash: undefined },
  { key: 'p95', colour: COLOURS.second, dash: '6 3' },
  { key: 'p99', colour: COLOURS.third, dash: '2 3' },
] as const

export function latencyConcurrencyChart(data: LatencyConcurrencyData, context: ChartContext): SVGSVGElement {
  const ticks = levelTicks(
    data.levels.map((level) => Math.round(level.achievedConcurrency)),
    context,
  )
  const series = PERCENTILES.map((percentile) => ({
    ...percentile,
    points: pointsOf(data.levels, percentile.key),
  }))
  return draw(context, describe(data), {
    x: { type: 'log', label: 'Achieved concurrency (requests in flight) →', ticks, tickFormat: shortNumber },
    y: { type: 'log', label: `↑ ${data.metric} (ms)`, grid: true, ticks: 5, tickFormat: shortNumber },
    marginRight: 40,
    marks: [
      ...(data.slo === null
        ? []
        : [
            Plot.ruleY([data.slo.maxMs], { stroke: COLOURS.limit, strokeDasharray: '6 4', strokeWidth: 1.5 }),
          ]),
      ...series.flatMap(({ points, colour, dash }) => [
        Plot.line(points, {
          x: 'x',
          y: 'y',
          stroke: colour,
          strokeWidth: 2,
          ...(dash === undefined ? {} : { strokeDasharray: dash }),
        }),
        Plot.dot(points, { x: 'x', y: 'y', fill: colour, r: 3 }),
      ]),
      Plot.text(endLabels(series), {
        x: 'x',
        y: 'y',
        text: 'text',
        textAnchor: 'start',
        dx: 6,
        fill: 'var(--ink)',
      }),
    ],
  })
}

interface Point {
  readonly x: number
  readonly y: number
}

function pointsOf(levels: readonly LatencyLevel[], key: 'p50' | 'p95' | 'p99'): Point[] {
  return levels.flatMap((level) => {
    const y = level[key]
    return y === null || y <= 0 ? [] : [{ x: level.achievedConcurrency, y }]
  })
}

// Lines that end close together share one label; a label on top of another one reads as neither.
function endLabels(series: readonly { readonly key: string; readonly points: readonly Point[] }[]) {
  const ends = series.flatMap(({ key, points }) => {
    const end = points.at(-1)
    return end === undefined ? [] : [{ ...end, text: key }]
  })
  const all = series.flatMap(({ points }) => points.map(({ y }) => y))
  const span = Math.log(Math.max(...all) / Math.min(...all)) || 1
  const placed: { x: number; y: number; text: string }[] = []
  for (const end of ends) {
    const near = placed.find((other) => Math.abs(Math.log(other.y / end.y)) / span < 0.08)
    if (near === undefined) placed.push({ ...end })
    else near.text = `${near.text.split('–')[0]}–${end.text}`
  }
  return placed
}

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
