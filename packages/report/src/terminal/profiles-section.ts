/** What the same server gives under the four usual promises. */
import type { ProfileAnswer, Recommendation } from '@loadcurve/core/capacity/recommendation'
import { sloText } from '../slo-text.ts'
import { textTable, wrapText } from './layout.ts'
import { numberText } from './number-text.ts'
import type { Style } from './style.ts'

export function profilesSection({ profiles }: Recommendation, style: Style): readonly string[] {
  const answers = Object.entries(profiles).filter(
    (entry): entry is [string, ProfileAnswer] => entry[1] !== null,
  )
  if (answers.length === 0) return []
  const { symbols } = style
  const column = (heading: string, pick: (answer: ProfileAnswer) => number | null) => ({
    heading,
    align: 'right' as const,
    cells: answers.map(([, answer]) => numberText(pick(answer), symbols)),
  })
  const table = textTable(
    [
      { heading: 'profile', align: 'left', cells: answers.map(([name]) => name) },
      column('batch', (answer) => answer.batch),
      column('req/s', (answer) => answer.requestsPerS),
      column('tokens/s', (answer) => answer.outputTokensPerS),
      { heading: 'verdict', align: 'left', cells: answers.map(([, answer]) => verdictText(answer)) },
    ],
    style.columns,
  )
  const promises = answers.flatMap(([name, { slo }]) =>
    wrapText(`${name}: ${slo.map(sloText).join(', ') || 'no latency promise'}`, style.columns, {
      rest: '  ',
    }).map(style.muted),
  )
  return [style.heading('Profiles'), ...table, ...promises]
}

const verdictText = ({ verdict, reasons }: ProfileAnswer): string =>
  verdict === 'recommended' || reasons.length === 0 ? verdict : `${verdict} (${reasons.join(', ')})`
