/** What the server said of itself during a step: sequences running and waiting, or the fraction of its KV cache in use. */
import * as Plot from '@observablehq/plot'
import { type ChartContext, COLOURS, draw } from './chart.ts'
import type { LabelPlace } from './labels.ts'
import { shortNumber } from './short-number.ts'

export interface ServerReading {
  readonly atS: number
  readonly running: number | null
  readonly waiting: number | null
  readonly kvUsageFraction: number | null
}

export function serverQueueChart(readings: readonly ServerReading[], context: ChartContext): SVGSVGElement {
  const running = series(readings, 'running')
  const waiting = series(readings, 'waiting')
  const peak = Math.max(...running.map(({ value }) => value), ...waiting.map(({ value }) => value), 1)
  const ends = [
    { text: 'running', colour: COLOURS.measured, end: running.at(-1) },
    { text: 'waiting', colour: COLOURS.second, end: waiting.at(-1) },
  ]
  return draw(context, {
    description: {
      title: 'Sequences on the server',
      summary: `Largest reading ${shortNumber(peak)}. Solid: running. Dashed: waiting.`,
    },
    margins: { marginRight: 64 },
    options: {
      x: { label: 'Time in the step (s) →', tickFormat: shortNumber },
      y: { label: '↑ Sequences (number)', domain: [0, 1.1 * peak], grid: true },
      marks: [
        Plot.line(running, { x: 'atS', y: 'value', stroke: COLOURS.measured, strokeWidth: 2 }),
        Plot.line(waiting, {
          x: 'atS',
          y: 'value',
          stroke: COLOURS.second,
          strokeWidth: 2,
          strokeDasharray: '6 3',
        }),
      ],
    },
    annotate: ({ x, y }) => ({
      labels: ends.flatMap(({ text, colour, end }) =>
        end === undefined ? [] : [{ xPx: x(end.atS), yPx: y(end.value), text, colour, places: AT_END }],
      ),
    }),
  })
}

const AT_END: readonly LabelPlace[] = [0, -14, 14].map((dyPx) => ({ dxPx: 6, dyPx, anchor: 'start' }))

export function kvUsageChart(readings: readonly ServerReading[], context: ChartContext): SVGSVGElement {
  const usage = series(readings, 'kvUsageFraction')
  const peak = Math.max(...usage.map(({ value }) => value), 0)
  return draw(context, {
    description: { title: 'KV cache in use', summary: `Largest reading ${shortNumber(100 * peak)} %.` },
    options: {
      x: { label: 'Time in the step (s) →', tickFormat: shortNumber },
      y: { label: '↑ KV cache in use (%)', domain: [0, 100], percent: true, grid: true },
      marks: [Plot.line(usage, { x: 'atS', y: 'value', stroke: COLOURS.third, strokeWidth: 2 })],
    },
  })
}

function series(readings: readonly ServerReading[], key: 'running' | 'waiting' | 'kvUsageFraction') {
  return readings.flatMap((reading) => {
    const value = reading[key]
    return value === null ? [] : [{ atS: reading.atS, value }]
  })
}
