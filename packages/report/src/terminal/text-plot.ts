/**
 * A plot made of characters: points and a line over two linear axes. It shows shape (where a curve bends, where a limit
 * cuts it); the numbers stand in the table above it.
 */
import { numberText } from './number-text.ts'
import type { Style } from './style.ts'

export interface PlotPoint {
  readonly x: number
  readonly y: number
}

export interface TextPlot {
  readonly title: string
  readonly xLabel: string
  readonly measured: readonly PlotPoint[]
  readonly excluded: readonly PlotPoint[]
  /** Points of the fitted curve, drawn as straight pieces between them. */
  readonly fitted: readonly PlotPoint[]
  /** A horizontal line, named at its end. */
  readonly limit: { readonly y: number; readonly label: string } | null
}

const rows = 10
const labelWidth = 8
/** Room for the limit's name at the right. */
const nameWidth = 4

/** The lines of a plot; none when there is nothing to show. */
export function plotLines(plot: TextPlot, style: Style): readonly string[] {
  const points = [...plot.measured, ...plot.excluded, ...plot.fitted]
  if (points.length === 0) return []
  const width = Math.min(64, style.columns - labelWidth - 2 - nameWidth)
  const xMax = Math.max(...points.map(({ x }) => x))
  const yMax = axisTop(plot, points)
  const column = (x: number) => Math.min(width - 1, Math.round((x / xMax) * (width - 1)))
  const row = (y: number) => rows - 1 - Math.min(rows - 1, Math.round((y / yMax) * (rows - 1)))
  const grid = Array.from({ length: rows }, () => new Array<string>(width).fill(' '))
  const put = ({ x, y }: PlotPoint, symbol: string) => {
    const line = grid[row(y)]
    if (line !== undefined) line[column(x)] = symbol
  }
  if (plot.limit !== null && plot.limit.y <= yMax) grid[row(plot.limit.y)]?.fill(style.symbols.limit)
  for (const point of alongCurve(plot.fitted, { xMax, columns: width })) put(point, style.symbols.fitted)
  for (const point of plot.excluded) put(point, style.symbols.excluded)
  for (const point of plot.measured) put(point, style.symbols.measured)
  return [plot.title, ...framed(grid, { plot, xMax, yMax, limitRow: limitRow(plot, yMax, row) }, style)]
}

// A level that was excluded because it went astray must not flatten the rest of the picture.
function axisTop(plot: TextPlot, points: readonly PlotPoint[]): number {
  const kept = [...plot.measured, ...plot.fitted]
  const top = Math.max(...(kept.length > 0 ? kept : points).map(({ y }) => y))
  const limit = plot.limit?.y ?? 0
  return limit > top && limit <= 1.5 * top ? limit : top
}

const limitRow = (plot: TextPlot, yMax: number, row: (y: number) => number): number | null =>
  plot.limit !== null && plot.limit.y <= yMax ? row(plot.limit.y) : null

function framed(
  grid: readonly (readonly string[])[],
  scale: { plot: TextPlot; xMax: number; yMax: number; limitRow: number | null },
  { symbols, columns }: Style,
): readonly string[] {
  const lines = grid.map((cells, index) => {
    const isTop = index === 0
    const label = isTop ? numberText(scale.yMax, symbols) : index === grid.length - 1 ? '0' : ''
    const name = index === scale.limitRow ? ` ${scale.plot.limit?.label ?? ''}` : ''
    return `${label.padStart(labelWidth)} ${symbols.axis}${cells.join('')}${name}`.trimEnd().slice(0, columns)
  })
  const width = grid[0]?.length ?? 0
  const right = numberText(scale.xMax, symbols)
  const base = `${' '.repeat(labelWidth)} ${symbols.corner}${symbols.base.repeat(width)}`
  const ticks = `${' '.repeat(labelWidth + 2)}0${scale.plot.xLabel.padStart(Math.floor((width + scale.plot.xLabel.length) / 2))}`
  return [...lines, base, `${ticks.padEnd(labelWidth + 2 + width - right.length)}${right}`]
}

/** One point a column on the straight pieces between the given points. */
function alongCurve(
  points: readonly PlotPoint[],
  { xMax, columns }: { readonly xMax: number; readonly columns: number },
): readonly PlotPoint[] {
  const sorted = points.toSorted((left, right) => left.x - right.x)
  return sorted.flatMap((left, index) => {
    const right = sorted[index + 1]
    if (right === undefined || right.x === left.x) return [left]
    const count = Math.max(1, Math.round(((right.x - left.x) / xMax) * columns))
    return Array.from({ length: count }, (_, step) => {
      const share = step / count
      return { x: left.x + share * (right.x - left.x), y: left.y + share * (right.y - left.y) }
    })
  })
}
