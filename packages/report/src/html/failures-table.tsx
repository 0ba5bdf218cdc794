/** What failed in which step, in the target's own words. */
import { numberText } from '../format.ts'
import { levelLabel, type ReportStep } from '../run-report.ts'
import { ScrollRegion, Section } from './facts.tsx'
import { NumberTable, type Row } from './number-table.tsx'

export function FailuresTable({ steps }: { steps: readonly ReportStep[] }) {
  const rows = steps.flatMap((step) => [...stepFailure(step), ...requestFailures(step)])
  if (rows.length === 0) return null
  return (
    <Section title="What failed" id="failures">
      <ScrollRegion label="Table of failures">
        <NumberTable
          caption="Steps that gave no figures, and the most frequent failures of requests with the first words that the target said."
          columns={[
            { name: 'Level' },
            { name: 'Requests' },
            { name: 'What', isText: true },
            { name: 'In its words', isText: true },
          ]}
          rows={rows}
        />
      </ScrollRegion>
    </Section>
  )
}

function stepFailure(step: ReportStep): Row[] {
  if (step.state === 'finished' || step.reason === null) return []
  return [
    {
      key: `${step.step} ${step.reason}`,
      cells: [levelLabel(step), '', `step ${step.state}: ${step.reason}`, step.message ?? ''],
    },
  ]
}

function requestFailures(step: ReportStep): Row[] {
  return (step.summary?.errors ?? []).map(({ outcome, code, text, count }, index) => ({
    key: `${step.step} ${index}`,
    cells: [
      levelLabel(step),
      numberText(count),
      code === null ? outcome : `${outcome} (${code})`,
      text ?? '',
    ],
  }))
}
