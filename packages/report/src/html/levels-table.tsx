/** Every measured level with what was asked, achieved and measured, and why one is not in the fit. */
import type { LatencyStatistics } from '@loadcurve/core/metrics/step-summary'
import { codeText } from '../codes.ts'
import { numberText, percentText, UNKNOWN } from '../format.ts'
import { exclusions, levelLabel, type ReportStep } from '../run-report.ts'

export function LevelsTable({ steps }: { steps: readonly ReportStep[] }) {
  return (
    <table>
      <caption>
        Levels in the order of measuring. In flight: achieved concurrency; batch: mean decode batch; “few”: n
        is too small for the percentile; tokens/s: output tokens.
      </caption>
      <thead>
        <tr>
          <th scope="col">Level</th>
          <th scope="col" class="number">
            In flight
          </th>
          <th scope="col" class="number">
            Batch
          </th>
          <th scope="col" class="number">
            n
          </th>
          <th scope="col" class="number">
            TTFT p50 / p95 (ms)
          </th>
          <th scope="col" class="number">
            TPOT p50 / p95 (ms)
          </th>
          <th scope="col" class="number">
            Requests/s
          </th>
          <th scope="col" class="number">
            Tokens/s
          </th>
          <th scope="col" class="number">
            Goodput
          </th>
          <th scope="col">In the fit</th>
        </tr>
      </thead>
      <tbody>
        {steps.map((step) => (
          <LevelRow key={step.step} step={step} />
        ))}
      </tbody>
    </table>
  )
}

function LevelRow({ step }: { step: ReportStep }) {
  const { summary } = step
  const out = exclusions(step)
  const ttft = step.level.ratePerS === null ? summary?.latency.ttft : summary?.latency.ttftScheduled
  return (
    <tr class={out.length > 0 ? 'excluded' : ''}>
      <th scope="row" class="level">
        {levelLabel(step)}
        {step.attempt > 1 ? `, attempt ${step.attempt}` : ''}
        {step.purpose === 'grid' ? null : <small class="muted"> {step.purpose}</small>}
      </th>
      <td class="number">{numberText(summary?.concurrency.achieved)}</td>
      <td class="number">{numberText(summary?.concurrency.decodeBatch)}</td>
      <td class="number">{numberText(summary?.requests.scheduled)}</td>
      <td class="number">{pair(ttft)}</td>
      <td class="number">{pair(summary?.latency.tpot)}</td>
      <td class="number">{numberText(summary?.requestsPerS)}</td>
      <td class="number">{numberText(summary?.outputTokensPerS)}</td>
      <td class="number">{percentText(summary?.goodput.fraction)}</td>
      <td>{membership(step, out)}</td>
    </tr>
  )
}

function membership(step: ReportStep, out: readonly string[]): string {
  if (out.length > 0) return `no: ${out.map((code) => codeText(code).meaning).join(' ')}`
  if (step.state !== 'finished') return `no: ${step.message ?? step.state}`
  return step.purpose === 'held-out' || step.purpose === 'verify' ? 'no: kept to check the fit' : 'yes'
}

function pair(latency: LatencyStatistics | undefined): string {
  if (latency === undefined || latency.n === 0) return UNKNOWN
  const text = (name: 'p50' | 'p95') => (latency.tooFew.includes(name) ? 'few' : numberText(latency[name]))
  return `${text('p50')} / ${text('p95')}`
}
