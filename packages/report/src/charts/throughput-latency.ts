/**
 * The picture of the trade: output tokens/s of the replica against the time each user waits per token. Every level is
 * a labelled dot, the fit a line with its 90 % band, the SLO a rule that must not be crossed. Dots are means, as the fit
 * is; where the promise is on a percentile, a whisker reaches from each dot to it, since that end is what is judged.
 */
import * as Plot from '@observablehq/plot'
import type { FittedPoint } from '../fitted-curve.ts'
import { type Annotations, type ChartContext, COLOURS, draw, limitRule, type Scales } from './chart.ts'
import { AROUND, BESIDE_RULE, mergeNear } from './labels.ts'
import { shortNumber } from './short-number.ts'
import { type SloLine, sloLineText } from './slo-line.ts'

export interface ThroughputLatencyLevel {
  /** What the dot is called: the nominal concurrency or arrival rate. */
  readonly label: string
  readonly outputTokensPerS: number
  readonly tpotMs: number
  /** The percentile of the promise, where it is known. */
  readonly promisedTpotMs: number | null
  readonly excluded: string | null
}

interface Place {
  readonly outputTokensPerS: number
  readonly tpotMs: number
}

export interface ThroughputLatencyData {
  readonly levels: readonly ThroughputLatencyLevel[]
  readonly fitted: readonly FittedPoint[]
  readonly slo: SloLine | null
  readonly recommended: (Place & { readonly batch: number }) | null
  /** Where X/R is largest; shown, decides nothing. */
  readonly knee: Place | null
}

export function throughputLatencyChart(data: ThroughputLatencyData, context: ChartContext): SVGSVGElement {
  return draw(context, {
    description: describe(data),
    options: {
      x: {
        label: 'TPOT mean (ms per token) →',
        domain: latencyDomain(data),
        tickFormat: shortNumber,
        ticks: 6,
      },
      y: {
        label: '↑ Output tokens/s',
        domain: [0, 1.1 * Math.max(...data.levels.map((level) => level.outputTokensPerS))],
        grid: true,
        ticks: 6,
        tickFormat: shortNumber,
      },
      marks: [
        ...fitMarks(data),
        ...(data.slo === null ? [] : [limitRule('x', data.slo.maxMs)]),
        ...levelMarks(data),
        ...pointMarks(data),
      ],
    },
    annotate: (scales) => annotations(data, scales),
  })
}

function fitMarks({ fitted }: ThroughputLatencyData): Plot.Markish[] {
  return [
    Plot.areaX(
      fitted.filter(({ boundTpotMs }) => boundTpotMs !== null),
      {
        y: 'outputTokensPerS',
        x1: ({ boundTpotMs }: FittedPoint) => boundTpotMs?.[0],
        x2: ({ boundTpotMs }: FittedPoint) => boundTpotMs?.[1],
        fill: COLOURS.fitted,
        fillOpacity: 0.2,
        clip: true,
      },
    ),
    Plot.line(fitted, { y: 'outputTokensPerS', x: 'tpotMs', stroke: COLOURS.fitted, strokeWidth: 2 }),
  ]
}

function levelMarks({ levels }: ThroughputLatencyData): Plot.Markish[] {
  const colour = (level: ThroughputLatencyLevel) =>
    level.excluded === null ? COLOURS.measured : COLOURS.excluded
  return [
    Plot.ruleY(
      levels.filter(({ promisedTpotMs }) => promisedTpotMs !== null),
      {
        y: 'outputTokensPerS',
        x1: 'tpotMs',
        x2: 'promisedTpotMs',
        stroke: colour,
        strokeWidth: 1.5,
        strokeOpacity: 0.7,
        clip: true,
      },
    ),
    Plot.dot(levels, {
      x: 'tpotMs',
      y: 'outputTokensPerS',
      r: 4,
      stroke: colour,
      fill: (level: ThroughputLatencyLevel) => (level.excluded === null ? COLOURS.measured : 'var(--card)'),
    }),
  ]
}

function pointMarks({ knee, recommended }: ThroughputLatencyData): Plot.Markish[] {
  const place = { x: 'tpotMs', y: 'outputTokensPerS' } as const
  return [
    ...(knee === null
      ? []
      : [Plot.dot([knee], { ...place, r: 6, symbol: 'diamond', stroke: COLOURS.second, strokeWidth: 2 })]),
    ...(recommended === null
      ? []
      : [Plot.dot([recommended], { ...place, r: 9, stroke: COLOURS.recommended, strokeWidth: 3 })]),
  ]
}

function annotations(data: ThroughputLatencyData, { x, y, frame }: Scales): Annotations {
  const at = ({ tpotMs, outputTokensPerS }: Place) => ({ xPx: x(tpotMs), yPx: y(outputTokensPerS) })
  const wide = AROUND.map((place) => ({ ...place, dxPx: place.dxPx * 1.6, dyPx: place.dyPx * 1.4 }))
  const { recommended, knee, slo, levels } = data
  const names = levels.map((level) => ({ ...at(level), text: level.label }))
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
              places: [...wide].reverse().concat(wide),
            },
          ]),
      ...mergeNear(names, 8),
      ...(knee === null ? [] : [{ ...at(knee), text: 'knee', colour: COLOURS.second }]),
    ],
    dots: [...levels.map(at), ...(recommended === null ? [] : [{ ...at(recommended), radiusPx: 10 }])],
  }
}

/** From 0 where that wastes less than half of the width; all of the promise, the whiskers and the band is inside. */
function latencyDomain({ levels, slo, fitted }: ThroughputLatencyData): [number, number] {
  const values = [
    ...levels.flatMap(({ tpotMs, promisedTpotMs }) => [tpotMs, promisedTpotMs ?? tpotMs]),
    ...fitted.map(({ tpotMs }) => tpotMs),
    ...(slo === null ? [] : [slo.maxMs]),
  ]
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const air = 0.06 * (high - low || high)
  return [low < 0.4 * high ? 0 : Math.max(0, low - air), high + air]
}

function describe(data: ThroughputLatencyData) {
  const sentences = data.levels.map(
    (level) =>
      `${level.label}: ${shortNumber(level.outputTokensPerS)} tokens/s at ${shortNumber(level.tpotMs)} ms` +
      (level.excluded === null ? '' : ` (excluded: ${level.excluded})`),
  )
  const { recommended } = data
  if (recommended !== null) {
    sentences.push(
      `recommended batch ${recommended.batch}: ${shortNumber(recommended.outputTokensPerS)} tokens/s at ${shortNumber(recommended.tpotMs)} ms`,
    )
  }
  return { title: 'Throughput against time per output token', summary: `${sentences.join('; ')}.` }
}
