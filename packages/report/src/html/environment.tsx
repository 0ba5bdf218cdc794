/** Who measured what: the target as it describes itself, and how late the generator itself was. */
import type { StepSummary } from '@loadcurve/core/metrics/step-summary'
import { codeText } from '../codes.ts'
import { numberText, unitText } from '../format.ts'
import type { RunReport } from '../run-report.ts'
import { Fact, Facts, KnownFact, Section } from './facts.tsx'

export function Environment({ report }: { report: RunReport }) {
  const { run, environment, steps } = report
  const summaries = steps.flatMap(({ summary }) => summary ?? [])
  return (
    <Section title="Environment" id="environment">
      <Facts>
        <KnownFact name="Target" text={targetText(summaries)} />
        <Fact name="Target fingerprint">
          <code>{run.fingerprintHash ?? 'unknown'}</code>
        </Fact>
        <KnownFact name="Generator" text={generatorText(summaries)} />
        <KnownFact name="Load processes" text={numberText(largest(steps.map((step) => step.shardsCount)))} />
        <Fact name="Made by">
          Loadcurve {environment.loadcurve} on Node {environment.node}
        </Fact>
      </Facts>
    </Section>
  )
}

function targetText(summaries: readonly StepSummary[]): string {
  const fingerprint = summaries.find((summary) => summary.fingerprint !== null)?.fingerprint ?? {}
  return Object.entries(fingerprint)
    .flatMap(([name, value]) => describe(name, value))
    .join(', ')
}

function describe(name: string, value: unknown): string[] {
  if (value === null || value === '' || typeof value === 'boolean') return []
  if (typeof value !== 'object') return [`${name} ${String(value)}`]
  return Object.entries(value).flatMap(([inner, part]) =>
    part === null || typeof part === 'object' ? [] : [`${inner} ${String(part)}`],
  )
}

function generatorText(summaries: readonly StepSummary[]): string {
  if (summaries.length === 0) return ''
  const unhealthy = summaries.filter(({ generator }) => !generator.healthy)
  const reasons = [...new Set(unhealthy.flatMap(({ generator }) => generator.reasons))]
  const lagMs = largest(
    summaries.flatMap(
      ({ generator: { readings } }) => readings?.receiveLagP99Ms ?? readings?.eventLoopDelayP99Ms ?? [],
    ),
  )
  const worst = lagMs === null ? '' : `; its largest lag (p99 of a step) was ${unitText(lagMs, 'ms')}`
  return unhealthy.length === 0
    ? `healthy in every step${worst}`
    : `too late in ${unhealthy.length} of ${summaries.length} steps${worst}. ${reasons.map((code) => codeText(code).meaning).join(' ')}`
}

function largest(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.max(...values)
}
