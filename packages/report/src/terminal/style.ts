/** What the output can show, as functions and symbols: colour only when wanted, block characters only when possible. */
import picocolors from 'picocolors'

export interface TerminalDisplay {
  readonly colour: boolean
  readonly unicode: boolean
  readonly columns: number
}

export interface Style {
  readonly columns: number
  readonly symbols: Symbols
  heading(text: string): string
  good(text: string): string
  warn(text: string): string
  bad(text: string): string
  muted(text: string): string
}

export interface Symbols {
  readonly measured: string
  readonly fitted: string
  readonly excluded: string
  readonly limit: string
  readonly axis: string
  readonly corner: string
  readonly base: string
  readonly unknown: string
  readonly range: string
  readonly times: string
  readonly bullet: string
}

const ascii: Symbols = {
  measured: 'o',
  fitted: '.',
  excluded: 'x',
  limit: '-',
  axis: '|',
  corner: '+',
  base: '-',
  unknown: '-',
  range: '-',
  times: '*',
  bullet: '*',
}

const unicode: Symbols = {
  measured: '●',
  fitted: '·',
  excluded: '×',
  limit: '╌',
  axis: '│',
  corner: '└',
  base: '─',
  unknown: '–',
  range: '–',
  times: '·',
  bullet: '•',
}

/** Wider lines are hard to read, however wide the window is. */
const columnsMax = 100

export function styleOf(display: TerminalDisplay): Style {
  const colours = picocolors.createColors(display.colour)
  return {
    columns: Math.min(Math.max(display.columns, 40), columnsMax),
    symbols: display.unicode ? unicode : ascii,
    heading: (text) => colours.bold(text),
    good: (text) => colours.green(text),
    warn: (text) => colours.yellow(text),
    bad: (text) => colours.red(text),
    muted: (text) => colours.dim(text),
  }
}
