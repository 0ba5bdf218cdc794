/**
 * A run as a person watches it: one line per step, with a bar while it goes on. On a terminal the last line is
 * rewritten; elsewhere each step writes its line once, when it is over.
 */
import type { CommandContext } from '../context.ts'
import type { ApiEvent } from './api-client.ts'

const BAR_CELLS = 24

export class RunProgress {
  readonly #context: CommandContext
  /** The line that may be rewritten; empty when there is none. */
  #open = ''
  #title = ''

  constructor(context: CommandContext) {
    this.#context = context
  }

  see({ kind, data }: ApiEvent): void {
    if (kind === 'step-started') this.#begin(data)
    else if (kind === 'step-progress') this.#show(progressText(data, this.#context.display.unicode))
    else if (kind === 'step-finished') this.#close(`${this.#title}  ${finishedText(data)}`)
    else if (kind === 'step-failed' || kind === 'step-abandoned')
      this.#close(`${this.#title}  ${failedText(kind, data)}`)
    else {
      const line = lineOf(kind, data)
      if (line !== null) this.#close(line)
    }
  }

  #begin(data: ApiEvent['data']): void {
    const level = data['level'] as {
      batch: number | null
      concurrency: number | null
      ratePerS: number | null
    }
    const load =
      level.concurrency !== null ? `concurrency ${level.concurrency}` : `${round(level.ratePerS)} requests/s`
    const batch = level.batch === null ? '' : `, batch ${level.batch}`
    const attempt = number(data['attempt']) ?? 1
    const again = attempt > 1 ? `, attempt ${attempt}` : ''
    const step = `step ${(number(data['step']) ?? 0) + 1}`
    this.#title = `${step.padEnd(8)} ${`${load}${batch}`.padEnd(25)} ${String(data['purpose']).padEnd(8)}${again}`
    this.#show('starting')
  }

  #show(text: string): void {
    if (!this.#isTerminal()) return
    const line = `${this.#title}  ${text}`.slice(0, this.#context.display.columns - 1)
    this.#context.stderr.write(`\r\u001b[2K${line}`)
    this.#open = line
  }

  #close(line: string): void {
    this.#context.stderr.write(`${this.#open === '' ? '' : '\r\u001b[2K'}${line}\n`)
    this.#open = ''
  }

  #isTerminal(): boolean {
    return this.#context.display.colour || this.#context.display.unicode
  }
}

function progressText(data: ApiEvent['data'], unicode: boolean): string {
  const measured = number(data['measuredEnded']) ?? 0
  const started = Math.max(measured, number(data['measuredStarted']) ?? 0)
  const phase = String(data['phase'])
  const cells = started === 0 ? 0 : Math.round((BAR_CELLS * measured) / started)
  const bar = unicode
    ? '█'.repeat(cells) + '░'.repeat(BAR_CELLS - cells)
    : '#'.repeat(cells) + '.'.repeat(BAR_CELLS - cells)
  const failed = number(data['failed']) ?? 0
  return `${bar} ${phase.padEnd(6)} ${measured} measured, ${number(data['inFlight'])} in flight${failed > 0 ? `, ${failed} failed` : ''}`
}

function finishedText(data: ApiEvent['data']): string {
  const summary = data['summary'] as {
    requests: { ok: number; failed: number }
    outputTokensPerS: number | null
    latency: Record<string, { p50: number | null; p95: number | null }>
    refusals: readonly string[]
  }
  const refused = summary.refusals.length > 0 ? `  not used: ${summary.refusals.join(', ')}` : ''
  const failed = summary.requests.failed > 0 ? `, ${summary.requests.failed} failed` : ''
  return (
    `${summary.requests.ok} ok${failed}  ${round(summary.outputTokensPerS)} tok/s  ` +
    `TTFT p95 ${round(summary.latency['ttft']?.p95 ?? null)} ms  TPOT p95 ${round(summary.latency['tpot']?.p95 ?? null)} ms${refused}`
  )
}

function failedText(kind: string, data: ApiEvent['data']): string {
  const what = kind === 'step-abandoned' ? 'interrupted, will be repeated' : 'failed'
  return `${what}: ${data['reason']}${data['message'] ? ` (${data['message']})` : ''}`
}

function lineOf(kind: string, data: ApiEvent['data']): string | null {
  switch (kind) {
    case 'run-waiting': {
      const ahead = number(data['runsAhead']) ?? 0
      return ahead > 0 ? `waiting for ${ahead} earlier run${ahead > 1 ? 's' : ''}` : null
    }
    case 'no-worker-connected':
      return 'no worker is connected: the run waits until one is ("loadcurve up" starts one)'
    case 'run-resumed':
      return 'another worker took the run over'
    case 'preflight':
      return preflightText(data)
    case 'cancel-requested':
      return 'cancelling'
    case 'run-failed':
      return `run failed: ${data['reason']}: ${data['message']}`
    case 'run-cancelled':
      return 'run cancelled; what was measured is kept'
    default:
      return null
  }
}

function preflightText(data: ApiEvent['data']): string | null {
  const findings = (data['findings'] ?? []) as readonly {
    ok: boolean
    message: string
    whatToDo: string | null
  }[]
  const odd = findings.filter(({ ok }) => !ok)
  return odd.length === 0
    ? null
    : odd.map(({ message, whatToDo }) => `note: ${message} ${whatToDo ?? ''}`.trim()).join('\n')
}

function number(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

/** Three significant digits. */
function round(value: number | null): string {
  return value === null ? '?' : String(Number(value.toPrecision(3)))
}
