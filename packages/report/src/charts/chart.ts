/**
 * What all charts share. A chart is a pure function from plain data to one SVG element, drawn by Observable Plot with
 * whatever document it is handed: the browser's in the dashboard, linkedom's in a report. Colours are CSS variables
 * (theme.ts), so one drawing serves light, dark and print; every axis carries its unit; every chart says in words
 * what it shows, for those who do not see it.
 */
import * as Plot from '@observablehq/plot'

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

/** Below this width labels and ticks are thinned, so that nothing touches at 380 px. */
const NARROW_PX = 480

export const isNarrow = (context: ChartContext): boolean => context.widthPx < NARROW_PX

/** Draws marks with the shared frame, and names the drawing for assistive technology. */
export function draw(
  context: ChartContext,
  description: ChartDescription,
  options: Plot.PlotOptions,
): SVGSVGElement {
  const narrow = isNarrow(context)
  const chart = Plot.plot({
    document: context.document,
    className: 'lc-chart',
    width: context.widthPx,
    height: Math.round(Math.min(400, Math.max(240, context.widthPx * 0.5))),
    marginLeft: narrow ? 48 : 60,
    marginRight: narrow ? 16 : 24,
    marginTop: 28,
    marginBottom: 40,
    style: { background: 'none', fontSize: '12px', overflow: 'visible' },
    ...options,
  }) as unknown as SVGSVGElement
  // One picture with one description: labels on groups inside it mean nothing to a reader of the page.
  for (const part of chart.querySelectorAll('[aria-label]')) {
    part.setAttribute('data-part', part.getAttribute('aria-label') ?? '')
    part.removeAttribute('aria-label')
  }
  chart.setAttribute('role', 'img')
  chart.setAttribute('aria-label', `${description.title}. ${description.summary}`)
  chart.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  return chart
}

/** Ticks for a logarithmic axis of counts: the levels' own values, thinned until their labels keep apart. */
export function levelTicks(values: readonly number[], context: ChartContext): number[] {
  const sorted = [...new Set(values)].filter((value) => value > 0).sort((left, right) => left - right)
  const first = sorted[0]
  const last = sorted.at(-1)
  if (first === undefined || last === undefined) return []
  const decades = Math.log(last / first) || 1
  const plotPx = context.widthPx - 90
  const kept: number[] = []
  for (const value of sorted) {
    const previous = kept.at(-1)
    const gapPx =
      previous === undefined ? Number.POSITIVE_INFINITY : (Math.log(value / previous) / decades) * plotPx
    if (gapPx >= 36) kept.push(value)
  }
  return kept
}

/** A number for a label: three significant digits, thousands separated, no exponent. */
export function shortNumber(value: number): string {
  if (value === 0) return '0'
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))
  return value.toLocaleString('en-GB', { maximumFractionDigits: Math.min(digits, 6) })
}

export interface PlacedLabel {
  readonly x: number
  readonly y: number
  readonly text: string
}

/**
 * Keeps those labels that do not touch one already kept. Earlier labels win, so callers put the important ones first.
 * Positions are in axis units; `scale` turns them into pixels.
 */
export function keepApart(
  labels: readonly PlacedLabel[],
  scale: { readonly x: (value: number) => number; readonly y: (value: number) => number },
): PlacedLabel[] {
  const kept: { label: PlacedLabel; xPx: number; yPx: number }[] = []
  for (const label of labels) {
    const xPx = scale.x(label.x)
    const yPx = scale.y(label.y)
    const widthPx = label.text.length * 7 + 8
    const free = kept.every(
      (other) =>
        Math.abs(other.xPx - xPx) > (widthPx + other.label.text.length * 7 + 8) / 2 ||
        Math.abs(other.yPx - yPx) > 16,
    )
    if (free) kept.push({ label, xPx, yPx })
  }
  return kept.map(({ label }) => label)
}

/** Linear or logarithmic axis position in pixels; used to keep labels apart before Plot has laid the axes out. */
export function axisPosition(options: {
  readonly domain: readonly [number, number]
  readonly lengthPx: number
  readonly logarithmic: boolean
}): (value: number) => number {
  const transform = options.logarithmic ? Math.log : (value: number) => value
  const start = transform(options.domain[0])
  const span = transform(options.domain[1]) - start || 1
  return (value) => ((transform(value) - start) / span) * options.lengthPx
}
