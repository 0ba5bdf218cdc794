/** `loadcurve probe`: one step against one target, no database; CONTRACT has the shape of `--json`. */
import process from 'node:process'
import { probeReport } from '@loadcurve/core/metrics/probe-report'
import { MonotonicClock } from '@loadcurve/loadgen/clock'
import { TargetKeyMissingError } from '@loadcurve/loadgen/step-target'
import { type Command, Option } from 'commander'
import type { CommandContext, TextSink } from '../context.ts'
import { CommandFailure, UsageError } from '../errors.ts'
import { collect } from '../options.ts'
import { nothingMeasured, type ProbeError } from '../probe/nothing-measured.ts'
import { type ProbeFlags, type ProbeOptions, readProbeOptions } from '../probe/probe-options.ts'
import { probeOrder, probePlan } from '../probe/probe-order.ts'
import { type ProbePreflight, preflightProbe } from '../probe/probe-preflight.ts'
import { runProbe } from '../probe/probe-run.ts'
import { findingText, probeText } from '../probe/probe-text.ts'
import { type ProgressLine, progressLine } from '../probe/progress-line.ts'

/** What a shell expects of a program that Ctrl-C ended. */
const EXIT_INTERRUPTED = 130
const EXIT_NOTHING_SUCCEEDED = 1

export function registerProbe(program: Command, context: CommandContext): void {
  program
    .command('probe')
    .summary('measure one level of a target: one step, no database')
    .description(
      'Keeps --concurrency requests in flight (or sends --rate requests per second), measures exactly --requests of ' +
        'them after a warm-up, and prints what they saw. The load goes on until the last measured request has ended.',
    )
    .option('--url <url>', 'base URL of an OpenAI-compatible API, for example http://127.0.0.1:8000/v1')
    .option('--model <name>', 'model to ask for')
    .option('--concurrency <n>', 'closed loop: requests in flight')
    .option('--rate <per-second>', 'open loop: arrivals per second')
    .option('--requests <k>', 'requests to measure')
    .option('--input-tokens <i>', 'tokens of each prompt')
    .option('--output-tokens <o>', 'tokens of each answer')
    .option('--endpoint <name>', 'chat or completions', 'chat')
    .option('--arrival <process>', 'open loop: poisson or constant', 'poisson')
    .option('--think-time <s>', 'closed loop: pause between an answer and the next request', '0')
    .option('--api-key-ref <name>', 'send the key in LOADCURVE_TARGET_KEY_<NAME>')
    .option('--metrics-url <url>', "the server's Prometheus page; default: /metrics of the same host")
    .option('--no-ignore-eos', 'let answers end by themselves')
    .option('--expect-json', 'answers should be JSON: measure the time to valid JSON')
    .addOption(
      new Option('--slo <promise>', 'count goodput against it, for example ttft:p95<800 (repeat for more)')
        .argParser(collect)
        .default([], 'none'),
    )
    .option('--seed <n>', 'seed of arrivals and prompts', '1')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nTargets beyond this machine must be allowed: LOADCURVE_TARGETS=host,*.suffix,10.0.0.0/8.\n' +
        'Exit: 0 something succeeded, 1 nothing did, 2 usage, 130 interrupted.',
    )
    .action((flags: ProbeFlags) => probe(flags, context))
}

async function probe(flags: ProbeFlags, context: CommandContext): Promise<void> {
  const options = readProbeOptions(flags, context.env)
  const interrupted = new AbortController()
  const onSignal = (): void => interrupted.abort()
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  try {
    await measure({ options, isJson: flags.json === true, signal: interrupted.signal }, context)
  } finally {
    process.off('SIGINT', onSignal)
    process.off('SIGTERM', onSignal)
    if (interrupted.signal.aborted) context.setExitCode(EXIT_INTERRUPTED)
  }
}

interface Asked {
  readonly options: ProbeOptions
  readonly isJson: boolean
  readonly signal: AbortSignal
}

async function measure(asked: Asked, context: CommandContext): Promise<void> {
  const { options, isJson, signal } = asked
  const { env } = context
  const line = progressLine(terminalOf(context), options.requests)
  const plan = probePlan(options)
  try {
    line.say('looking at the target ...')
    const preflight = await preflightOf(asked, env)
    if (signal.aborted) return
    if (preflight.blocked !== null) return giveUp(asked, context, { line, error: preflight.blocked })
    line.say('calibrating the load process ...')
    const order = probeOrder(options, plan, preflight.report)
    const onProgress = line.show
    const summary = await runProbe({ order, preflight, slo: options.slo, env, onProgress, signal })
    if (summary === null) return
    const report = probeReport(summary)
    line.clear()
    const { findings } = preflight.report
    context.stdout.write(
      isJson
        ? `${JSON.stringify({ ...report, findings }, null, 2)}\n`
        : probeText(report, findings, context.display),
    )
    if (report.requests.ok === 0) context.setExitCode(EXIT_NOTHING_SUCCEEDED)
  } finally {
    line.clear()
  }
}

/** @throws UsageError when the key that was named is not there */
async function preflightOf({ options, signal }: Asked, env: CommandContext['env']): Promise<ProbePreflight> {
  const clock = new MonotonicClock()
  const { allowList } = options
  try {
    return await preflightProbe({
      plan: probePlan(options),
      allowList,
      env,
      nowMs: () => clock.nowMs(),
      signal,
    })
  } catch (error) {
    if (!(error instanceof TargetKeyMissingError)) throw error
    throw new UsageError([{ path: '--api-key-ref', message: error.message }])
  }
}

function giveUp(
  { options, isJson }: Asked,
  context: CommandContext,
  { line, error }: { readonly line: ProgressLine; readonly error: ProbeError },
): void {
  line.clear()
  if (isJson) context.stdout.write(`${JSON.stringify(nothingMeasured(options, error), null, 2)}\n`)
  throw new CommandFailure(findingText({ ...error, ok: false, blocking: true }), EXIT_NOTHING_SUCCEEDED)
}

// stderr, so that a result that goes to a file stays clean.
function terminalOf(context: CommandContext): TextSink | null {
  return context.stderr === process.stderr && process.stderr.isTTY ? context.stderr : null
}
