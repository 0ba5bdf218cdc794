/**
 * The picture of the trade: output tokens/s of the replica against the time each user waits per token. Every level is
 * a labelled dot, the fit a line with its 90 % band, the SLO a rule that must not be crossed.
 */
import * as Plot from '@observablehq/plot'
import { axisPosition, type ChartContext, COLOURS, draw, keepApart, shortNumber } from './chart.ts'

export interface ThroughputLatencyLevel {
  /** What the dot is called: the nominal concurrency or arrival rate. */
  readonly label: string
  readonly outputTokensPerS: number
  readonly tpotMs: number
  readonly predictedTpotMs: number | null
  readonly boundTpotMs: readonly [number, number] | null
  readonly excluded: string | null
}

export interface ThroughputLatencyData {
  readonly levels: readonly ThroughputLatencyLevel[]
  /** Name of the statistic on the x axis, e.g. `p95`. */
  readonly statistic: string
  readonly sloTpotMs: number | null
  readonly recommended: {
    readonly batch: number
    readonly outputTokensPerS: number
    readonly tpotMs: number
  } | null
  /** Where X/R is largest; shown, decides nothing. */
  readonly knee: { readonly outputTokensPerS: number; readonly tpotMs: number } | null
}

export function throughputLatencyChart(data: ThroughputLatencyData, context: ChartContext): SVGSVGElement {
  const fitted = data.levels.filter((level) => level.excluded === null && level.predictedTpotMs !== null)
  const xMax = 1.08 * largest([...data.levels.map((level) => level.tpotMs), data.sloTpotMs ?? 0])
  const yMax = 1.1 * largest(data.levels.map((level) => level.outputTokensPerS))
  return draw(context, describe(data), {
    x: { label: `TPOT ${data.statistic} (ms per token) →`, domain: [0, xMax], tickFormat: shortNumber },
    y: { label: '↑ Output tokens/s', domain: [0, yMax], grid: true, tickFormat: shortNumber },
    marks: [
      Plot.areaX(
        fitted.filter((level) => level.boundTpotMs !== null),
        {
          y: 'outputTokensPerS',
          x1: (level: ThroughputLatencyLevel) => level.boundTpotMs?.[0],
          x2: (level: ThroughputLatencyLevel) => level.boundTpotMs?.[1],
          fill: COLOURS.fitted,
          fillOpacity: 0.15,
        },
      ),
      Plot.line(fitted, {
        y: 'outputTokensPerS',
        x: 'predictedTpotMs',
        stroke: COLOURS.fitted,
        strokeWidth: 2,
      }),
      ...limitMarks(data),
      Plot.dot(data.levels, {
        x: 'tpotMs',
        y: 'outputTokensPerS',
        r: 4,
        stroke: (level: ThroughputLatencyLevel) =>
          level.excluded === null ? COLOURS.measured : COLOURS.excluded,
        fill: (level: ThroughputLatencyLevel) => (level.excluded === null ? COLOURS.measured : 'none'),
      }),
      Plot.text(placeLabels(data, { xMax, yMax }, context), {
        x: 'x',
        y: 'y',
        text: 'text',
        dy: -12,
        fill: 'var(--ink)',
      }),
      ...recommendationMarks(data),
    ],
  })
}

function limitMarks(data: ThroughputLatencyData): Plot.Markish[] {
  if (data.sloTpotMs === null) return []
  return [Plot.ruleX([data.sloTpotMs], { stroke: COLOURS.limit, strokeDasharray: '6 4', strokeWidth: 1.5 })]
}

function recommendationMarks(data: ThroughputLatencyData): Plot.Markish[] {
  const marks: Plot.Markish[] = []
  if (data.knee !== null) {
    marks.push(
      Plot.dot([data.knee], {
        x: 'tpotMs',
        y: 'outputTokensPerS',
        r: 6,
        symbol: 'diamond',
        stroke: COLOURS.second,
      }),
    )
  }
  if (data.recommended !== null) {
    marks.push(
      Plot.dot([data.recommended], {
        x: 'tpotMs',
        y: 'outputTokensPerS',
        r: 9,
        stroke: COLOURS.recommended,
        strokeWidth: 3,
      }),
    )
  }
  return marks
}

function placeLabels(
  data: ThroughputLatencyData,
  { xMax, yMax }: { readonly xMax: number; readonly yMax: number },
  context: ChartContext,
) {
  const x = axisPosition({ domain: [0, xMax], lengthPx: context.widthPx - 84, logarithmic: false })
  const y = axisPosition({
    domain: [0, yMax],
    lengthPx: Math.min(400, context.widthPx * 0.5) - 68,
    logarithmic: false,
  })
  const labels = data.levels.map((level) => ({
    x: level.tpotMs,
    y: level.outputTokensPerS,
    text: level.label,
  }))
  return keepApart(labels, { x, y })
}

function describe(data: ThroughputLatencyData) {
  const sentences = data.levels.map(
    (level) =>
      `${level.label}: ${shortNumber(level.outputTokensPerS)} tokens/s at ${shortNumber(level.tpotMs)} ms` +
      (level.excluded === null ? '' : ` (excluded: ${level.excluded})`),
  )
  return { title: 'Throughput against time per output token', summary: `${sentences.join('; ')}.` }
}

const largest = (values: readonly number[]): number => Math.max(...values, Number.MIN_VALUE)
