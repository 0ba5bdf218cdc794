/** How the answer was checked: what it foretold beside what was then measured, and whether the server held still. */
import type { FitLevelReport, MeasuredLatency, Verification } from '@loadcurve/core/capacity/recommendation'
import { driftOf } from '@loadcurve/core/run/drift'
import { intervalText, numberText, percentText, UNKNOWN, unitText } from '../format.ts'
import { type RunReport, stepOfLabel } from '../run-report.ts'
import { Facts, KnownFact, ScrollRegion, Section } from './facts.tsx'
import { NumberTable, type Row } from './number-table.tsx'

export function Checks({ report }: { report: RunReport }) {
  const rows = [...verifiedRows(report), ...heldOutRows(report)]
  const drift = driftText(report)
  if (rows.length === 0 && drift === '') return null
  return (
    <Section title="Foretold and measured" id="checks">
      <Facts>
        <KnownFact name="Verification" text={verdictText(report)} />
        <KnownFact name="Drift" text={drift} />
      </Facts>
      {rows.length === 0 ? null : (
        <ScrollRegion label="Table of predictions beside measurements">
          <NumberTable
            caption="Predictions made without the step that tests them."
            columns={[
              { name: 'Figure' },
              { name: 'Predicted' },
              { name: '90 % range' },
              { name: 'Measured' },
              { name: 'Difference' },
            ]}
            rows={rows}
          />
        </ScrollRegion>
      )}
    </Section>
  )
}

/** The verify step as the recommendation holds it. */
function verificationOf({ recommendation }: RunReport): Verification | null {
  return recommendation?.openLoop?.verified ?? null
}

function verdictText(report: RunReport): string {
  const verified = verificationOf(report)
  if (verified === null) return 'not measured'
  const more =
    verified.moreRequests === null ? '' : `; ${numberText(verified.moreRequests)} more requests would decide`
  return `${verified.verdict} at ${unitText(verified.requestsPerS, 'requests/s')}, ${numberText(verified.n)} requests${more}`
}

function verifiedRows(report: RunReport): Row[] {
  const verified = verificationOf(report)
  if (verified === null) return []
  const load = `at ${unitText(verified.requestsPerS, 'req/s')}`
  return [...latencyRows(`TTFT ${load}`, verified.ttftMs), ...latencyRows(`TPOT ${load}`, verified.tpotMs)]
}

function latencyRows(name: string, measured: MeasuredLatency): Row[] {
  const { predicted } = measured
  return [
    comparison(`${name}, p50 (ms)`, {
      predicted: predicted?.p50 ?? null,
      bound: predicted?.p50Bound ?? null,
      measured: measured.p50,
    }),
    comparison(`${name}, p95 (ms)`, {
      predicted: predicted?.p95 ?? null,
      bound: predicted?.p95Bound ?? null,
      measured: measured.p95,
    }),
  ]
}

function heldOutRows(report: RunReport): Row[] {
  const levels = report.recommendation?.fit?.levels ?? []
  return levels
    .filter(({ excluded }) => excluded === 'held-out')
    .flatMap((level) => {
      const name = `held out, ${stepOfLabel(report, level.label) ?? level.label} in flight`
      return [
        comparison(`TPOT ${name} (ms)`, { ...foretold(level, 'Tpot'), bound: level.boundTpotMs }),
        comparison(`Requests/s ${name}`, { ...foretold(level, 'Requests'), bound: null }),
      ]
    })
}

function foretold(level: FitLevelReport, figure: 'Tpot' | 'Requests') {
  return figure === 'Tpot'
    ? { predicted: level.predictedTpotMs, measured: level.tpotMs }
    : { predicted: level.predictedRequestsPerS, measured: level.requestsPerS }
}

function comparison(
  name: string,
  {
    predicted,
    bound,
    measured,
  }: {
    readonly predicted: number | null
    readonly bound: readonly [number, number] | null
    readonly measured: number | null
  },
): Row {
  const difference = predicted === null || measured === null ? null : measured / predicted - 1
  return {
    key: name,
    cells: [
      name,
      numberText(predicted),
      intervalText(bound),
      numberText(measured),
      difference === null ? UNKNOWN : percentText(difference),
    ],
  }
}

function driftText({ steps }: RunReport): string {
  const drift = driftOf(steps)
  if (drift === null) return ''
  const { outputTokensPerSFraction, tpotFraction, isDrifting } = drift
  const verdict = isDrifting ? 'the server changed meanwhile' : 'no more than chance explains'
  return `${verdict}: from the first to the last measurement of one level throughput changed by ${percentText(outputTokensPerSFraction)}, TPOT by ${percentText(tpotFraction)}`
}
