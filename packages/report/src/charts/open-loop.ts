/** p95 of TTFT against the arrival rate of one replica, with its bounds, the promise, and the rate at which it breaks. */
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
import { AROUND, BESIDE_RULE, ON_RULE } from './labels.ts'
import { shortNumber } from './short-number.ts'
import { type SloLine, sloLineText } from './slo-line.ts'

export interface OpenLoopData {
  readonly points: readonly {
    readonly requestsPerS: number
    readonly p95Ms: number
    readonly p95BoundMs: readonly [number, number]
  }[]
  readonly measured: readonly { readonly requestsPerS: number; readonly p95Ms: number }[]
  readonly slo: SloLine | null
  readonly maxRequestsPerS: number | null
}

export function openLoopChart(data: OpenLoopData, context: ChartContext): SVGSVGElement {
  const values = [
    ...data.points.flatMap(({ p95Ms, p95BoundMs }) => [p95Ms, ...p95BoundMs]),
    ...data.measured.map(({ p95Ms }) => p95Ms),
    ...(data.slo === null ? [] : [data.slo.maxMs]),
  ]
  const up = logDomain(values)
  const ticks = logTicks({ domain: up, lengthPx: frameOf(context).upPx, direction: 'up' })
  return draw(context, {
    description: describe(data),
    options: {
      x: {
        label: 'Arrival rate per replica (requests/s) →',
        domain: [0, 1.12 * Math.max(...rates(data))],
        ticks: 6,
        tickFormat: shortNumber,
      },
      y: {
        type: 'log',
        label: '↑ TTFT p95 from the scheduled instant (ms)',
        domain: up,
        grid: true,
        ticks,
      },
      marks: [logAxis('y', ticks), ...marks(data)],
    },
    annotate: (scales) => annotations(data, scales),
  })
}

function marks({ points, measured, slo, maxRequestsPerS }: OpenLoopData): Plot.Markish[] {
  return [
    Plot.areaY(points, {
      x: 'requestsPerS',
      y1: (point: OpenLoopData['points'][number]) => point.p95BoundMs[0],
      y2: (point: OpenLoopData['points'][number]) => point.p95BoundMs[1],
      fill: COLOURS.fitted,
      fillOpacity: 0.2,
    }),
    Plot.line(points, { x: 'requestsPerS', y: 'p95Ms', stroke: COLOURS.fitted, strokeWidth: 2 }),
    Plot.dot(measured, { x: 'requestsPerS', y: 'p95Ms', r: 5, fill: COLOURS.measured }),
    ...(slo === null ? [] : [limitRule('y', slo.maxMs)]),
    ...(maxRequestsPerS === null
      ? []
      : [Plot.ruleX([maxRequestsPerS], { stroke: COLOURS.recommended, strokeWidth: 2 })]),
  ]
}

function annotations(data: OpenLoopData, { x, y, frame }: Scales): Annotations {
  const { slo, maxRequestsPerS, measured, points } = data
  const dots = measured.map(({ requestsPerS, p95Ms }) => ({ xPx: x(requestsPerS), yPx: y(p95Ms) }))
  const first = points[0]
  return {
    labels: [
      ...(maxRequestsPerS === null
        ? []
        : [
            {
              xPx: x(maxRequestsPerS),
              yPx: frame.top,
              text: `λ_slo ${shortNumber(maxRequestsPerS)}/s`,
              colour: COLOURS.recommended,
              places: BESIDE_RULE,
            },
          ]),
      ...(slo === null
        ? []
        : [
            {
              xPx: frame.left,
              yPx: y(slo.maxMs),
              text: sloLineText(slo),
              colour: COLOURS.limit,
              places: ON_RULE,
            },
          ]),
      ...dots.map((dot) => ({ ...dot, text: 'measured', colour: COLOURS.measured })),
      ...(first === undefined
        ? []
        : [
            {
              xPx: x(first.requestsPerS),
              yPx: y(first.p95BoundMs[1]),
              text: 'predicted, 90 %',
              colour: COLOURS.fitted,
              places: AROUND,
            },
          ]),
    ],
    dots,
  }
}

function rates({ points, measured, maxRequestsPerS }: OpenLoopData): number[] {
  return [...points, ...measured].map(({ requestsPerS }) => requestsPerS).concat(maxRequestsPerS ?? [])
}

function describe(data: OpenLoopData) {
  const limit =
    data.maxRequestsPerS === null
      ? 'No arrival rate can be promised.'
      : `The promise holds up to ${shortNumber(data.maxRequestsPerS)} requests/s.`
  const sentences = data.points.map(
    ({ requestsPerS, p95Ms }) => `${shortNumber(p95Ms)} ms at ${shortNumber(requestsPerS)}/s`,
  )
  return { title: 'TTFT p95 against arrival rate', summary: `${limit} Predicted: ${sentences.join('; ')}.` }
}
