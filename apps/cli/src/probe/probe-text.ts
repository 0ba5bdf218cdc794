/** The result of a probe for people: what was sent, what came back how fast, and how far to trust it. */
import type { ProbeLatency, ProbeReport } from '@loadcurve/core/metrics/probe-report'
import type { Finding } from '@loadcurve/loadgen/preflight/finding'
import { codeText, readRemark } from '@loadcurve/report/codes'
import { definitionList, textTable, wrapText } from '@loadcurve/report/terminal/layout'
import { numberText, percentText } from '@loadcurve/report/terminal/number-text'
import { type Style, styleOf, type TerminalDisplay } from '@loadcurve/report/terminal/style'

/** @returns lines ending in a line break; plain ASCII when `display.unicode` is false */
export function probeText(
  report: ProbeReport,
  findings: readonly Finding[],
  display: TerminalDisplay,
): string {
  const style = styleOf(display)
  const sections = [
    loadSection(report, style),
    latencySection(report, style),
    trustSection(report, style),
    findingSection(findings, style),
  ]
  const text = sections
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n')
  return display.unicode ? text : text.replaceAll('’', "'")
}

/** One line: what is in the way, and what to do. */
export function findingText({ message, whatToDo }: Finding): string {
  return whatToDo === null ? message : `${message} ${whatToDo}`
}

function loadSection(report: ProbeReport, style: Style): readonly string[] {
  const { requests, concurrency, goodput } = report
  const number = (value: number | null) => numberText(value, style.symbols)
  return [
    style.heading('Load'),
    ...definitionList(
      [
        ['requests', `${requests.scheduled} measured, ${requests.ok} ok${failureText(report, style)}`],
        ['window', `${number(report.windowS)} s`],
        ['in flight', `${number(concurrency.achieved)}${nominalText(concurrency.nominal)}`],
        ['in decode', number(concurrency.decodeBatch)],
        ['requests/s', number(report.requestsPerS)],
        ['output tokens/s', `${number(report.outputTokensPerS)} (counted by: ${report.outputTokensSource})`],
        ['input tokens/s', number(report.inputTokensPerS)],
        ['goodput', `${percentText(goodput.fraction, style.symbols)}, ${number(goodput.perS)}/s`],
      ],
      style.columns,
    ),
  ]
}

function nominalText(nominal: number | null): string {
  return nominal === null ? '' : ` of ${nominal}`
}

function failureText({ requests, errors }: ProbeReport, style: Style): string {
  if (requests.failed === 0) return ''
  const examples = errors.map(
    ({ outcome, code, count }) => `${count} ${outcome}${code === null ? '' : ` ${code}`}`,
  )
  return `, ${style.bad(`${requests.failed} failed`)} (${examples.join(', ')})`
}

function latencySection(report: ProbeReport, style: Style): readonly string[] {
  const rows: [string, ProbeLatency | null][] = [
    ['TTFT', report.ttftMs],
    ['TTFT from schedule', report.concurrency.nominal === null ? report.ttftScheduledMs : null],
    ['first visible token', differs(report) ? report.firstVisibleTokenMs : null],
    ['TPOT', report.tpotMs],
    ['gap between events', report.gapMs],
    ['E2E', report.e2eMs],
    ['valid JSON', report.validJsonMs],
    ['server queue', report.serverQueueMs],
  ]
  const shown = rows.filter((row): row is [string, ProbeLatency] => row[1] !== null && row[1].n > 0)
  if (shown.length === 0) return []
  const column = (heading: string, pick: (latency: ProbeLatency) => string) => ({
    heading,
    align: 'right' as const,
    cells: shown.map(([, latency]) => pick(latency)),
  })
  const percentile = (name: 'p50' | 'p90' | 'p95' | 'p99') =>
    column(name, (latency) =>
      latency.tooFew.includes(name) ? 'too few' : numberText(latency[name], style.symbols),
    )
  return [
    style.heading('Latency, ms'),
    ...textTable(
      [
        { heading: '', align: 'left', cells: shown.map(([name]) => name) },
        column('n', ({ n }) => String(n)),
        column('mean', ({ mean }) => numberText(mean, style.symbols)),
        ...(['p50', 'p90', 'p95', 'p99'] as const).map(percentile),
      ],
      style.columns,
    ),
  ]
}

// Only a reasoning model shows its first visible token later than its first.
function differs({ ttftMs, firstVisibleTokenMs }: ProbeReport): boolean {
  return firstVisibleTokenMs.mean !== ttftMs.mean
}

function trustSection(report: ProbeReport, style: Style): readonly string[] {
  const { generator, littlesLaw } = report
  const remarks = [...report.refusals, ...generator.reasons, ...report.caveats]
  const law =
    littlesLaw.ratio === null
      ? 'not checked'
      : `${numberText(littlesLaw.ratio, style.symbols)}${littlesLaw.holds === false ? style.bad(' (does not hold)') : ''}`
  const lag = numberText(generator.receiveLagP99Ms, style.symbols)
  return [
    style.heading('Trust'),
    ...definitionList(
      [
        ['Little’s law', law],
        [
          'generator',
          `${generator.healthy ? style.good('healthy') : style.bad('not healthy')}, lag p99 ${lag} ms`,
        ],
      ],
      style.columns,
    ),
    ...[...new Set(remarks)].flatMap((remark) => remarkLines(remark, style)),
  ]
}

function remarkLines(remark: string, style: Style): readonly string[] {
  const { code, detail } = readRemark(remark)
  const { meaning, next } = codeText(code)
  const sentence = detail === null ? meaning : `${detail.charAt(0).toUpperCase()}${detail.slice(1)}.`
  return bullet(`${sentence} ${next} [${code}]`, style)
}

function findingSection(findings: readonly Finding[], style: Style): readonly string[] {
  const open = findings.filter(({ ok }) => !ok)
  if (open.length === 0) return []
  return [style.heading('Preflight'), ...open.flatMap((finding) => bullet(findingText(finding), style))]
}

function bullet(text: string, style: Style): readonly string[] {
  return wrapText(text, style.columns, { first: `  ${style.symbols.bullet} `, rest: '    ' })
}
