/** p95 of TTFT against the arrival rate of one replica, with its bounds, the promise, and the rate at which it breaks. */
import * as Plot from '@observablehq/plot'
import { type ChartContext, COLOURS, draw, shortNumber } from './chart.ts'

export interface OpenLoopData {
  readonly points: readonly {
    readonly requestsPerS: number
    readonly p95Ms: number
    readonly p95BoundMs: readonly [number, number]
  }[]
  readonly measured: readonly { readonly requestsPerS: number; readonly p95Ms: number }[]
  readonly sloMs: number | null
  readonly maxRequestsPerS: number | null
}

export function openLoopChart(data: OpenLoopData, context: ChartContext): SVGSVGElement {
  return draw(context, describe(data), {
    x: { label: 'Arrival rate per replica (requests/s) →', tickFormat: shortNumber, zero: true },
    y: {
      type: 'log',
      label: '↑ TTFT p95 from the scheduled instant (ms)',
      grid: true,
      ticks: 5,
      tickFormat: shortNumber,
    },
    marks: [
      Plot.areaY(data.points, {
        x: 'requestsPerS',
        y1: (point: OpenLoopData['points'][number]) => point.p95BoundMs[0],
        y2: (point: OpenLoopData['points'][number]) => point.p95BoundMs[1],
        fill: COLOURS.fitted,
        fillOpacity: 0.15,
      }),
      Plot.line(data.points, { x: 'requestsPerS', y: 'p95Ms', stroke: COLOURS.fitted, strokeWidth: 2 }),
      Plot.dot(data.measured, { x: 'requestsPerS', y: 'p95Ms', r: 4, fill: COLOURS.measured }),
      ...(data.sloMs === null
        ? []
        : [Plot.ruleY([data.sloMs], { stroke: COLOURS.limit, strokeDasharray: '6 4', strokeWidth: 1.5 })]),
      ...(data.maxRequestsPerS === null
        ? []
        : [Plot.ruleX([data.maxRequestsPerS], { stroke: COLOURS.recommended, strokeWidth: 2 })]),
    ],
  })
}

function describe(data: OpenLoopData) {
  const limit =
    data.maxRequestsPerS === null
      ? 'No arrival rate can be promised.'
      : `The promise holds up to ${shortNumber(data.maxRequestsPerS)} requests/s.`
  return { title: 'TTFT p95 against arrival rate', summary: limit }
}
