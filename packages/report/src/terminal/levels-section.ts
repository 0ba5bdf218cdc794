/** The levels: what was measured, what the fit says, whether Little's law holds, and which ones were left out why. */
import type { FitLevelReport, LittlesLawRow, Recommendation } from '@loadcurve/core/capacity/recommendation'
import { codeText } from '../codes.ts'
import { type TextColumn, textTable, wrapText } from './layout.ts'
import { numberText, rangeText } from './number-text.ts'
import type { Style } from './style.ts'

/** More rows than this say less than the plot below them. */
const rowsMax = 60
/** Levels of one reason that are named. */
const namesMax = 6

export function levelsSection(recommendation: Recommendation, style: Style): readonly string[] {
  const { fit, littlesLaw } = recommendation
  if (fit !== null && fit.levels.length > 0) {
    const rows = fit.levels.map((level, index) => ({ level, law: rowOf(littlesLaw, level, index) }))
    const shown = rows.filter(({ level }) => level.excluded !== 'more-levels-than-needed').slice(0, rowsMax)
    const levels = shown.map(({ level }) => level)
    const ratios = shown.map(({ law }) => law)
    return [
      style.heading('Levels'),
      ...textTable(levelColumns(levels, ratios, style), style.columns),
      ...(shown.length < rows.length ? [style.muted(`(${shown.length} of ${rows.length} levels)`)] : []),
      ...legend(ratios, style),
      ...exclusions(fit.levels, style),
    ]
  }
  if (littlesLaw.length === 0) return []
  return [
    style.heading('Levels'),
    ...textTable(lawColumns(littlesLaw.slice(0, rowsMax), style), style.columns),
  ]
}

// Both lists are in the order of the levels; the concurrency guards against a list that left some out.
function rowOf(rows: readonly LittlesLawRow[], level: FitLevelReport, index: number): LittlesLawRow | null {
  const row = rows[index]
  if (row !== undefined && row.concurrency === level.concurrency) return row
  return rows.find(({ concurrency }) => concurrency === level.concurrency) ?? null
}

function levelColumns(
  levels: readonly FitLevelReport[],
  ratios: readonly (LittlesLawRow | null)[],
  style: Style,
): readonly TextColumn[] {
  const { symbols } = style
  const number = (heading: string, pick: (level: FitLevelReport) => number | null): TextColumn => ({
    heading,
    align: 'right',
    cells: levels.map((level) => numberText(pick(level), symbols)),
  })
  const isOpenLoop = levels.every((level) => level.concurrency === null)
  const dial: TextColumn = isOpenLoop
    ? { heading: 'level', align: 'left', cells: levels.map(({ label }) => label) }
    : number('N', (level) => level.concurrency)
  return [
    dial,
    number('L', (level) => level.achieved),
    number('batch', (level) => level.decodeBatch),
    number('TTFT', (level) => level.ttftMs),
    number('TPOT', (level) => level.tpotMs),
    number('fitted', (level) => level.predictedTpotMs),
    { heading: 'bound', align: 'right', cells: levels.map((level) => rangeText(level.boundTpotMs, symbols)) },
    number('req/s', (level) => level.requestsPerS),
    number('fitted', (level) => level.predictedRequestsPerS),
    number('tok/s', (level) => level.outputTokensPerS),
    { heading: 'Little', align: 'right', cells: ratios.map((row) => ratioText(row, style)) },
    {
      heading: '',
      align: 'left',
      cells: levels.map(({ excluded }) => (excluded === null ? '' : symbols.excluded)),
    },
  ]
}

const ratioText = (row: LittlesLawRow | null, { symbols }: Style): string =>
  row?.ratio == null ? symbols.unknown : row.ratio.toFixed(2)

function legend(ratios: readonly (LittlesLawRow | null)[], style: Style): readonly string[] {
  const derived = ratios.every((row) => row?.ratio == null)
  const text = derived
    ? 'N: concurrency; L: in flight; batch: mean requests in decode; times in ms; bound: 90 %, from the other levels; Little: not checkable without means and a throughput of its own.'
    : 'N: concurrency; L: in flight; batch: mean requests in decode; times in ms; bound: 90 %, from the other levels; Little: X*R over N, 1.00 when the level is what it says.'
  return wrapText(text, style.columns).map(style.muted)
}

// One paragraph a reason, not one a level: a bad sweep fails for one reason everywhere.
function exclusions(levels: readonly FitLevelReport[], style: Style): readonly string[] {
  const codes = [...new Set(levels.flatMap(({ excluded }) => excluded ?? []))]
  return codes.flatMap((code) => {
    const names = levels.filter(({ excluded }) => excluded === code).map(nameOf)
    const more = names.length > namesMax ? ` and ${names.length - namesMax} more` : ''
    const verb = names.length === 1 ? 'is' : 'are'
    const { meaning, next } = codeText(code)
    const text = `${names.slice(0, namesMax).join(', ')}${more} ${verb} left out [${code}]: ${meaning} ${next}`
    return wrapText(text, style.columns, { first: `${style.symbols.excluded} `, rest: '  ' }).map(style.warn)
  })
}

const nameOf = ({ concurrency, label }: FitLevelReport): string =>
  concurrency === null ? label : `N = ${concurrency} (${label})`

function lawColumns(rows: readonly LittlesLawRow[], style: Style): readonly TextColumn[] {
  const { symbols } = style
  const cells = (pick: (row: LittlesLawRow) => string) => rows.map(pick)
  return [
    { heading: 'N', align: 'right', cells: cells((row) => numberText(row.concurrency, symbols)) },
    { heading: 'batch', align: 'right', cells: cells((row) => numberText(row.decodeBatch, symbols)) },
    { heading: 'Little', align: 'right', cells: cells((row) => ratioText(row, style)) },
  ]
}
