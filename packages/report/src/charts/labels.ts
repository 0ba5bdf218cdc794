/**
 * Words inside a drawing. Each label is put beside its point, in the first of a few places where it stays inside the
 * frame and touches neither another label nor a dot; a label that finds none is left out, so callers put the important
 * ones first. Positions come from the drawing's own scales, after it is drawn.
 */

export interface WantedLabel {
  /** The point that is named, px. */
  readonly xPx: number
  readonly yPx: number
  readonly text: string
  /** Tried in this order. */
  readonly places?: readonly LabelPlace[]
  readonly colour?: string
}

export interface LabelPlace {
  readonly dxPx: number
  readonly dyPx: number
  readonly anchor: 'start' | 'middle' | 'end'
}

export interface Box {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** A mark that no label may cover. */
export interface Dot {
  readonly xPx: number
  readonly yPx: number
  readonly radiusPx?: number
}

export interface PlacedLabel {
  readonly xPx: number
  readonly yPx: number
  readonly anchor: LabelPlace['anchor']
  readonly text: string
  readonly colour: string
}

const CHARACTER_PX = 7.2
const LINE_PX = 15
const DOT_PX = 5

/** Above, right, left, below: where a reader looks for the name of a dot. */
export const AROUND: readonly LabelPlace[] = [
  { dxPx: 0, dyPx: -14, anchor: 'middle' },
  { dxPx: 10, dyPx: 0, anchor: 'start' },
  { dxPx: -10, dyPx: 0, anchor: 'end' },
  { dxPx: 0, dyPx: 15, anchor: 'middle' },
  { dxPx: 12, dyPx: 14, anchor: 'start' },
  { dxPx: -12, dyPx: -14, anchor: 'end' },
]

/** Beside an upright line, at several heights below its top. */
export const BESIDE_RULE: readonly LabelPlace[] = [8, 24, 40, 120].flatMap((dyPx) => [
  { dxPx: 6, dyPx, anchor: 'start' as const },
  { dxPx: -6, dyPx, anchor: 'end' as const },
])

/** On a level line, from its left end. */
export const ON_RULE: readonly LabelPlace[] = [
  { dxPx: 4, dyPx: -9, anchor: 'start' },
  { dxPx: 4, dyPx: 10, anchor: 'start' },
]

export function placeLabels(
  wanted: readonly WantedLabel[],
  { frame, dots = [] }: { readonly frame: Box; readonly dots?: readonly Dot[] },
): PlacedLabel[] {
  const taken: Box[] = dots.map(around)
  return wanted.flatMap((label) => {
    for (const place of label.places ?? AROUND) {
      const placed = at(label, place)
      const box = boxOf(placed)
      if (!isInside(box, frame) || taken.some((other) => touches(box, other))) continue
      taken.push(box)
      return [placed]
    }
    return []
  })
}

/** Adds placed labels to a drawing, each on a halo of the paper's colour so that lines do not cross out its letters. */
export function drawLabels(chart: SVGSVGElement, labels: readonly PlacedLabel[]): void {
  for (const { xPx, yPx, anchor, text, colour } of labels) {
    const element = chart.ownerDocument.createElementNS('http://www.w3.org/2000/svg', 'text')
    const attributes = {
      x: xPx.toFixed(1),
      y: yPx.toFixed(1),
      dy: '0.32em',
      'text-anchor': anchor,
      fill: colour,
      stroke: 'var(--card)',
      'stroke-width': '3',
      'paint-order': 'stroke',
      'stroke-linejoin': 'round',
      class: 'lc-label',
    }
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
    element.textContent = text
    chart.append(element)
  }
}

/** Points that lie on top of one another share one label: `16, 24, 32`. */
export function mergeNear(points: readonly WantedLabel[], nearPx: number): WantedLabel[] {
  const merged: { label: WantedLabel; names: string[] }[] = []
  for (const point of points) {
    const same = merged.find(({ label }) => Math.hypot(label.xPx - point.xPx, label.yPx - point.yPx) < nearPx)
    if (same === undefined) merged.push({ label: point, names: [point.text] })
    else same.names.push(point.text)
  }
  return merged.map(({ label, names }) => ({ ...label, text: listed(names) }))
}

function listed(names: readonly string[]): string {
  return names.length <= 3 ? names.join(', ') : `${names[0]} … ${names.at(-1)}`
}

function at({ xPx, yPx, text, colour = 'var(--ink)' }: WantedLabel, place: LabelPlace): PlacedLabel {
  return { xPx: xPx + place.dxPx, yPx: yPx + place.dyPx, anchor: place.anchor, text, colour }
}

function boxOf({ xPx, yPx, anchor, text }: PlacedLabel): Box {
  const widthPx = text.length * CHARACTER_PX
  const left = anchor === 'start' ? xPx : anchor === 'end' ? xPx - widthPx : xPx - widthPx / 2
  return { left, right: left + widthPx, top: yPx - LINE_PX / 2, bottom: yPx + LINE_PX / 2 }
}

function around({ xPx, yPx, radiusPx = DOT_PX }: Dot): Box {
  return { left: xPx - radiusPx, right: xPx + radiusPx, top: yPx - radiusPx, bottom: yPx + radiusPx }
}

const isInside = (box: Box, frame: Box): boolean =>
  box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom

const touches = (one: Box, other: Box): boolean =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom
