/** What the same server gives under the four usual promises. */
import type { ProfileAnswer, Recommendation } from '@loadcurve/core/capacity/recommendation'
import { codeText } from '../codes.ts'
import { numberText } from '../format.ts'
import { sloText } from '../slo-text.ts'
import { ScrollRegion, Section } from './facts.tsx'
import { NumberTable } from './number-table.tsx'

export function ProfilesTable({ profiles }: { profiles: Recommendation['profiles'] }) {
  const known = Object.entries(profiles).filter(
    (entry): entry is [string, ProfileAnswer] => entry[1] !== null,
  )
  if (known.length === 0) return null
  return (
    <Section title="Other promises" id="profiles">
      <ScrollRegion label="Table of profiles">
        <NumberTable
          caption="What this server gives under the four usual promises, per replica."
          columns={[
            { name: 'Profile' },
            { name: 'Promise', isText: true },
            { name: 'Batch' },
            { name: 'Requests/s' },
            { name: 'Output tokens/s' },
            { name: 'Verdict', isText: true },
          ]}
          rows={known.map(([name, answer]) => ({
            key: name,
            cells: [
              name,
              answer.slo.map(sloText).join(', ') || 'none on latency',
              numberText(answer.batch),
              numberText(answer.requestsPerS),
              numberText(answer.outputTokensPerS),
              verdictText(answer),
            ],
          }))}
        />
      </ScrollRegion>
    </Section>
  )
}

function verdictText({ verdict, reasons }: ProfileAnswer): string {
  const why = reasons.map((code) => codeText(code).meaning).join(' ')
  return why === '' ? verdict : `${verdict}: ${why}`
}
