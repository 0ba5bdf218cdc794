/** Independent users: the largest load of one replica, what binds it, and latency at the rates that were asked about. */
import type {
  BoundedLatency,
  MeasuredLatency,
  OpenLoopAnswer,
  OpenLoopPoint,
  Verification,
} from '@loadcurve/core/capacity/recommendation'
import { codeText } from '../codes.ts'
import { definitionList, textTable, wrapText } from './layout.ts'
import { numberText, percentText, rangeText } from './number-text.ts'
import type { Style } from './style.ts'

export function openLoopSection(answer: OpenLoopAnswer, style: Style): readonly string[] {
  const { symbols } = style
  const entries: (readonly [string, string])[] = []
  if (answer.maxRequestsPerS !== null) {
    const interval = answer.interval === null ? '' : ` (${rangeText(answer.interval, symbols)})`
    const used =
      answer.utilisation === null ? '' : `, ${percentText(answer.utilisation, symbols)} of its capacity`
    entries.push([
      'one replica',
      `${numberText(answer.maxRequestsPerS, symbols)} requests/s${interval}${used}`,
    ])
  }
  if (answer.estimateRequestsPerS !== null) {
    entries.push([
      'estimate',
      `${numberText(answer.estimateRequestsPerS, symbols)} requests/s by queueing formulas`,
    ])
  }
  if (answer.bindingOrderInWords !== null) entries.push(['binds', answer.bindingOrderInWords])
  entries.push(...verifiedEntries(answer.verified, style))
  const lines = [...definitionList(entries, style.columns), ...ratesTable(answer.at, style)]
  return lines.length === 0 ? [] : [style.heading('Random arrivals'), ...lines]
}

function verifiedEntries(
  verified: Verification | null,
  { symbols }: Style,
): readonly (readonly [string, string])[] {
  if (verified === null) return []
  const { verdict, n, requestsPerS, moreRequests, ttftMs, tpotMs } = verified
  const more = moreRequests === null ? '' : `; about ${numberText(moreRequests, symbols)} more would decide`
  const beside = ({ p95, predicted }: MeasuredLatency) => {
    const foretold = predicted === null ? '' : ` (predicted ${numberText(predicted.p95, symbols)}, `
    const bound =
      predicted === null ? '' : `${rangeText(predicted.p95Bound, symbols)} for a test of this length)`
    return `${numberText(p95, symbols)} ms measured${foretold}${bound}`
  }
  return [
    ['verified', `${verdict}: ${n} requests at ${numberText(requestsPerS, symbols)} requests/s${more}`],
    ['p95 TTFT', beside(ttftMs)],
    ['p95 TPOT', beside(tpotMs)],
  ]
}

function ratesTable(points: readonly OpenLoopPoint[], style: Style): readonly string[] {
  if (points.length === 0) return []
  const { symbols } = style
  const cells = (pick: (point: OpenLoopPoint) => string) => points.map(pick)
  const right = (heading: string, pick: (point: OpenLoopPoint) => string) => ({
    heading,
    align: 'right' as const,
    cells: cells(pick),
  })
  const latency = (found: BoundedLatency | null, pick: (found: BoundedLatency) => string) =>
    found === null ? symbols.unknown : pick(found)
  const table = textTable(
    [
      right('req/s', (point) => numberText(point.requestsPerS, symbols)),
      right('load', (point) => percentText(point.utilisation, symbols)),
      right('batch', (point) => numberText(point.decodeBatch, symbols)),
      right('TTFT p50', ({ ttftMs }) => latency(ttftMs, ({ p50 }) => numberText(p50, symbols))),
      right('p95', ({ ttftMs }) => latency(ttftMs, ({ p95 }) => numberText(p95, symbols))),
      right('bound', ({ ttftMs }) => latency(ttftMs, ({ p95Bound }) => rangeText(p95Bound, symbols))),
      right('TPOT p50', ({ tpotMs }) => latency(tpotMs, ({ p50 }) => numberText(p50, symbols))),
      right('p95', ({ tpotMs }) => latency(tpotMs, ({ p95 }) => numberText(p95, symbols))),
      right('bound', ({ tpotMs }) => latency(tpotMs, ({ p95Bound }) => rangeText(p95Bound, symbols))),
    ],
    style.columns,
  )
  const refusals = points.flatMap(({ requestsPerS, refused }) => {
    if (refused === null) return []
    const { meaning, next } = codeText(refused)
    return wrapText(
      `${numberText(requestsPerS, symbols)} req/s is refused [${refused}]: ${meaning} ${next}`,
      style.columns,
      { rest: '  ' },
    )
  })
  return [...table, ...refusals.map(style.warn)]
}
