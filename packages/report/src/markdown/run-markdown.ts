/** The report of a run as Markdown: the same numbers as the HTML one, for a pull request or a wiki. */
import type { MeasuredLatency, Verification } from '@loadcurve/core/capacity/recommendation'
import type { LatencyStatistics } from '@loadcurve/core/metrics/step-summary'
import { codeText, readRemark } from '../codes.ts'
import {
  instantText,
  intervalText,
  moneyText,
  numberText,
  percentText,
  UNKNOWN,
  unitText,
} from '../format.ts'
import { exclusions, levelLabel, type ReportStep, type RunReport } from '../run-report.ts'
import { limitText, sloText } from '../slo-text.ts'

export function runMarkdown(report: RunReport): string {
  return `${[
    ...head(report),
    ...answer(report),
    ...asked(report),
    ...measured(report),
    `Made by Loadcurve ${report.environment.loadcurve}, metric definitions version ${report.definitionsVersion}. ` +
      `Target fingerprint: ${report.run.fingerprintHash ?? 'unknown'}.`,
  ].join('\n')}\n`
}

function head({ run }: RunReport): readonly string[] {
  return [
    `# ${plain(run.planName)}`,
    '',
    `Run ${run.id}, ${run.state}, asked for ${instantText(run.createdAt)}, finished ${instantText(run.finishedAt)}.`,
    '',
  ]
}

// Only a run that tried the promise out has these rows.
function verifiedRows(verified: Verification | null): [string, string, string][] {
  if (verified === null) return []
  const { verdict, n, ttftMs, tpotMs, moreRequests } = verified
  const beside = (name: string, { p95, predicted }: MeasuredLatency): [string, string, string] => [
    `Measured there, p95 ${name}`,
    unitText(p95, 'ms'),
    predicted === null
      ? ''
      : `predicted ${numberText(predicted.p95)} ms, ${intervalText(predicted.p95Bound)}`,
  ]
  const more = moreRequests === null ? '' : `, ${numberText(moreRequests)} more would decide`
  return [
    ['Tried out at that load', verdict, `${n} requests${more}`],
    beside('TTFT', ttftMs),
    beside('TPOT', tpotMs),
  ]
}

function answer({ recommendation, run }: RunReport): readonly string[] {
  if (recommendation === null) {
    return ['## No recommendation', '', `The run is ${run.state}. ${plain(run.message ?? '')}`.trim(), '']
  }
  const { batch, openLoop, fleet, operatingPoint, verdict } = recommendation
  const rows: [string, string, string][] = [
    [
      'Batch size to set (`max_num_seqs`)',
      numberText(batch.recommended),
      `90 % interval ${intervalText(batch.interval)}`,
    ],
    ['Limited by', batch.limitedBy === null ? UNKNOWN : limitText(batch.limitedBy), ''],
    ['Mean decode batch in operation', numberText(batch.operating), ''],
    ["Router's limit per replica", unitText(batch.admissionLimit, 'in flight'), ''],
    [
      'Load per replica',
      unitText(openLoop?.maxRequestsPerS, 'requests/s'),
      `90 % interval ${intervalText(openLoop?.interval)}`,
    ],
    ...verifiedRows(openLoop?.verified ?? null),
    [
      'Throughput at that batch',
      unitText(operatingPoint?.outputTokensPerS, 'output tokens/s'),
      operatingPoint?.source ?? '',
    ],
    [
      'GPUs',
      numberText(fleet?.gpus),
      fleet === null
        ? 'no demand given'
        : `${fleet.replicas} replicas, interval ${intervalText(fleet.interval)}`,
    ],
    ['Cost at peak', moneyText(fleet?.costPerMillionOutputTokens.atPeak), 'per million output tokens'],
  ]
  return [
    `## Recommendation: ${verdict}`,
    '',
    '| | | |',
    '|---|---|---|',
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
    '',
    ...codes('Why', recommendation.reasons),
    ...codes('Mind', recommendation.caveats),
  ]
}

function codes(title: string, list: readonly string[]): readonly string[] {
  if (list.length === 0) return []
  const sentences = list.map((remark) => {
    const { code, detail } = readRemark(remark)
    const { meaning, next } = codeText(code)
    return `- ${meaning} ${detail === null ? '' : `Here: ${detail}. `}${next} (\`${code}\`)`
  })
  return [`**${title}**`, '', ...sentences, '']
}

function asked({ plan }: RunReport): readonly string[] {
  const { target, workload, slo } = plan
  return [
    '## What was asked',
    '',
    `- Target: ${plain(target.model)} at ${plain(target.baseUrl)} (${target.endpoint})`,
    `- Workload: profile ${workload.profile}, ${numberText(workload.inputTokens.mean)} input and ${numberText(workload.outputTokens.mean)} output tokens on average`,
    `- Promise: ${slo.length === 0 ? 'none' : slo.map(sloText).join(', ')}`,
    `- Seed: ${plan.seed}`,
    '',
  ]
}

const COLUMNS = [
  ...['Level', 'Purpose', 'Achieved', 'Decode batch', 'n', 'TTFT p50 / p95 (ms)', 'TPOT p50 / p95 (ms)'],
  ...['Requests/s', 'Output tokens/s', 'Goodput', 'In the fit'],
]

function measured({ steps }: RunReport): readonly string[] {
  return [
    '## What was measured',
    '',
    `| ${COLUMNS.join(' | ')} |`,
    `|${COLUMNS.map((_, index) => (index < 2 || index === COLUMNS.length - 1 ? '---' : '---:')).join('|')}|`,
    ...steps.map((step) => `| ${cells(step).join(' | ')} |`),
    '',
  ]
}

function cells(step: ReportStep): readonly string[] {
  const { summary } = step
  const out = exclusions(step)
  const ttft = step.level.ratePerS === null ? summary?.latency.ttft : summary?.latency.ttftScheduled
  return [
    levelLabel(step),
    step.purpose,
    numberText(summary?.concurrency.achieved),
    numberText(summary?.concurrency.decodeBatch),
    numberText(summary?.requests.scheduled),
    pair(ttft),
    pair(summary?.latency.tpot),
    numberText(summary?.requestsPerS),
    numberText(summary?.outputTokensPerS),
    percentText(summary?.goodput.fraction),
    out.length === 0
      ? step.purpose === 'held-out' || step.purpose === 'verify'
        ? 'check only'
        : 'yes'
      : `no: ${out.join(', ')}`,
  ]
}

function pair(latency: LatencyStatistics | undefined): string {
  if (latency === undefined || latency.n === 0) return UNKNOWN
  const text = (name: 'p50' | 'p95') => (latency.tooFew.includes(name) ? 'few' : numberText(latency[name]))
  return `${text('p50')} / ${text('p95')}`
}

/** A text from outside in Markdown: nothing in it is read as markup, and it stays on its line. */
function plain(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]<>()#+!|~&-]/g, (mark) => `\\${mark}`)
}
