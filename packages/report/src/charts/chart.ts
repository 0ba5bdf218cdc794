/**
 * What all charts share. A chart is a pure function from plain data to one SVG element, drawn by Observable Plot with
 * whatever document it is handed: the browser's in the dashboard, linkedom's in a report. Colours are CSS variables
 * (theme.ts), so one drawing serves light, dark and print; every axis carries its unit; every chart says in words
 * what it shows, for those who do not see it.
 */
import * as Plot from '@observablehq/plot'
import { type Box, type Dot, drawLabels, placeLabels, type WantedLabel } from './labels.ts'
import { shortNumber } from './short-number.ts'

export interface ChartContext {
  /** The document that creates the elements. */
  readonly document: Document
  /** Width of the drawing in CSS pixels; heights follow from it. */
  readonly widthPx: number
}

export interface ChartDescription {
  /** Short name, read out before the summary. */
  readonly title: string
  /** One or two sentences with the figures that a reader should take away. */
  readonly summary: string
}

export const COLOURS = {
  measured: 'var(--measured)',
  fitted: 'var(--fitted)',
  second: 'var(--second)',
  third: 'var(--third)',
  limit: 'var(--limit)',
  recommended: 'var(--accent)',
  excluded: 'var(--muted)',
  rule: 'var(--rule)',
} as const

/** Positions in the drawing, px. */
export interface Scales {
  readonly x: (value: number) => number
  readonly y: (value: number) => number
  readonly frame: Box
}

/** What is written into a drawing, and the dots that the writing must not cover. */
export interface Annotations {
  readonly labels: readonly WantedLabel[]
  readonly dots?: readonly Dot[]
}

export interface Margins {
  readonly marginLeft: number
  readonly marginRight: number
  readonly marginTop: number
  readonly marginBottom: number
}

/** What the name of the upright axis takes at the top, px. */
const AXIS_NAME_PX = 22

const MARGINS: Margins = { marginLeft: 56, marginRight: 20, marginTop: 28, marginBottom: 40 }

/** The part of a drawing that holds marks, with room for what is written at its right side. */
export function frameOf({ widthPx }: ChartContext, margins: Partial<Margins> = {}) {
  const heightPx = Math.round(Math.min(400, Math.max(240, widthPx * 0.5)))
  const all = { ...MARGINS, ...margins }
  const frame: Box = {
    left: all.marginLeft,
    right: widthPx - all.marginRight,
    top: all.marginTop,
    bottom: heightPx - all.marginBottom,
  }
  return { heightPx, margins: all, frame, acrossPx: frame.right - frame.left, upPx: frame.bottom - frame.top }
}

export interface Drawing {
  readonly description: ChartDescription
  readonly margins?: Partial<Margins>
  readonly options: Plot.PlotOptions
  readonly annotate?: (scales: Scales) => Annotations
}

/** Draws marks with the shared frame, writes the labels, and names the drawing for assistive technology. */
export function draw(context: ChartContext, drawing: Drawing): SVGSVGElement {
  const { heightPx, margins, frame } = frameOf(context, drawing.margins)
  const plot = Plot.plot({
    document: context.document,
    className: 'lc-chart',
    width: context.widthPx,
    height: heightPx,
    ...margins,
    style: { background: 'none', fontSize: '12px', overflow: 'visible' },
    ...drawing.options,
  })
  const chart = plot as unknown as SVGSVGElement
  describe(chart, drawing.description)
  if (drawing.annotate !== undefined) {
    const position = (name: 'x' | 'y') => (value: number) => Number(plot.scale(name)?.apply(value))
    const { labels, dots = [] } = drawing.annotate({ x: position('x'), y: position('y'), frame })
    // Labels may stand in the margins' inner edges, where neither ticks nor axis names are.
    const room = { ...frame, right: context.widthPx - 2, top: AXIS_NAME_PX }
    drawLabels(chart, placeLabels(labels, { frame: room, dots }))
  }
  return chart
}

// One picture with one description: labels on groups inside it mean nothing to a reader of the page.
function describe(chart: SVGSVGElement, { title, summary }: ChartDescription): void {
  for (const part of chart.querySelectorAll('[aria-label]')) {
    part.setAttribute('data-part', part.getAttribute('aria-label') ?? '')
    part.removeAttribute('aria-label')
  }
  chart.setAttribute('role', 'img')
  chart.setAttribute('aria-label', `${title}. ${summary}`)
  chart.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
}

/** A promise as an upright or a level line. */
export function limitRule(axis: 'x' | 'y', maxMs: number): Plot.Markish {
  const style = { stroke: COLOURS.limit, strokeDasharray: '6 4', strokeWidth: 1.5 }
  return axis === 'x' ? Plot.ruleX([maxMs], style) : Plot.ruleY([maxMs], style)
}

/**
 * The axis of a logarithmic scale with exactly these ticks, each labelled. Plot's own would hand them to d3, which
 * leaves out labels as it sees fit.
 */
export function logAxis(axis: 'x' | 'y', ticks: readonly number[]): Plot.Markish {
  const options = { text: shortNumber as (value: unknown) => string }
  return axis === 'x' ? Plot.axisX([...ticks], options) : Plot.axisY([...ticks], options)
}

/** The values with some air around them on a logarithmic axis. @throws RangeError without a positive value */
export function logDomain(values: readonly number[], airFraction = 0.06): readonly [number, number] {
  const known = values.filter((value) => value > 0)
  if (known.length === 0) throw new RangeError('a logarithmic axis needs a positive value, got none')
  const [low, high] = [Math.min(...known), Math.max(...known)]
  const air = Math.max(Math.log(high / low) * airFraction, 0.05)
  return [low * Math.exp(-air), high * Math.exp(air)]
}
