/** `loadcurve sim`: a simulated inference server in the foreground, until it is told to stop. */
import { type OptionViolation, optionViolations } from '@loadcurve/sim/http-server/option-violations'
import type { SimulatorOptions } from '@loadcurve/sim/http-server/options'
import { type RunningSimulator, startSimulator } from '@loadcurve/sim/http-server/server'
import { PRESETS } from '@loadcurve/sim/presets/presets'
import { type Command, Option } from 'commander'
import type { CommandContext } from '../context.ts'
import { CommandFailure, UsageError, type Violation } from '../errors.ts'
import { untilStopped } from '../until-stopped.ts'
import { simHelp } from './sim-help.ts'

interface SimFlags {
  readonly host: string
  readonly port: string
  readonly refusePort?: string
  readonly preset: string
  readonly maxNumSeqs?: string
  readonly maxNumBatchedTokens?: string
  readonly speed: string
  readonly seed: string
  readonly model?: string
  readonly apiKey: readonly string[]
  readonly fault: readonly string[]
  readonly answerTokens?: string
  readonly law?: string
  readonly prefixCache: boolean
  readonly restartMs: string
  readonly json?: boolean
}

export function registerSim(program: Command, context: CommandContext): void {
  const repeated = (value: string, before: readonly string[]) => [...before, value]
  program
    .command('sim')
    .summary('run a simulated inference server whose law is known exactly')
    .description(
      'An OpenAI-compatible server with the scheduling of a continuous-batching engine and no GPU. Its step times ' +
        'follow a known law, which GET /sim/truth tells; GET /sim/realised tells what it really did.',
    )
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0 takes any free one', '8000')
    .option('--refuse-port <port>', 'a second port that resets every connection at once')
    .option('--preset <name>', 'which server to be (see below)', 'small')
    .option('--max-num-seqs <count>', "sequences that may run at once; default: the preset's")
    .option('--max-num-batched-tokens <count>', "tokens per engine step, or 'none' for whole prompts")
    .option('--speed <factor>', 'everything takes 1/factor of its time', '1')
    .option('--seed <number>', 'seed of noise, words, answer lengths and faults', '1')
    .option('--model <id>', "model id to answer with; default: the preset's")
    .addOption(
      new Option('--api-key <key>', 'require this Bearer key (repeat for more)')
        .argParser(repeated)
        .default([], 'none needed'),
    )
    .addOption(
      new Option('--fault <name=fraction>', 'give this fraction of the requests a fault (repeat for more)')
        .argParser(repeated)
        .default([], 'none'),
    )
    .option('--law <json>', 'replace parts of the law, e.g. \'{"hiccup":{"everyMs":5000,"pauseMs":200}}\'')
    .option(
      '--answer-tokens <json>',
      'lengths of answers that end by themselves, e.g. \'{"kind":"pareto","min":20,"shape":1.5,"max":4000}\'',
    )
    .option('--no-prefix-cache', 'never reuse a prompt prefix')
    .option('--restart-ms <ms>', 'not ready for this long after POST /sim/control', '500')
    .option('--json', 'print one line of JSON when ready')
    .addHelpText('after', simHelp())
    .action((flags: SimFlags) => serve(flags, context))
}

async function serve(flags: SimFlags, context: CommandContext): Promise<void> {
  const simulator = await start(readFlags(flags))
  context.stdout.write(flags.json === true ? readyJson(simulator) : readyText(simulator))
  const reason = await untilStopped()
  await simulator.close()
  if (flags.json !== true) context.stdout.write(`Stopped (${reason}).\n`)
}

async function start(options: SimulatorOptions): Promise<RunningSimulator> {
  try {
    return await startSimulator(options)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new CommandFailure(`port ${options.port} is in use; --port 0 takes any free one`)
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL')
      throw new CommandFailure(`cannot listen there: ${message}`)
    throw error
  }
}

/** @throws UsageError carrying every violation, each under its flag */
function readFlags(flags: SimFlags): SimulatorOptions {
  const violations: Violation[] = []
  const number = (path: string, text: string) => {
    const value = text.trim() === '' ? Number.NaN : Number(text)
    if (Number.isNaN(value))
      violations.push({ path, message: `must be a number, got ${JSON.stringify(text)}` })
    return value
  }
  const law: Record<string, unknown> = readJson('--law', flags.law, violations)
  if (!flags.prefixCache) law['prefixCache'] = false
  const budget = flags.maxNumBatchedTokens
  if (budget !== undefined) {
    law['maxNumBatchedTokens'] = budget === 'none' ? null : number('--max-num-batched-tokens', budget)
  }
  const options = {
    host: flags.host,
    port: number('--port', flags.port),
    preset: flags.preset,
    speed: number('--speed', flags.speed),
    seed: number('--seed', flags.seed),
    apiKeys: flags.apiKey,
    faults: readFaults(flags.fault, violations),
    restartMs: number('--restart-ms', flags.restartMs),
    law,
    ...(flags.refusePort === undefined ? {} : { refusePort: number('--refuse-port', flags.refusePort) }),
    ...(flags.maxNumSeqs === undefined ? {} : { maxNumSeqs: number('--max-num-seqs', flags.maxNumSeqs) }),
    ...(flags.answerTokens === undefined
      ? {}
      : { answerTokens: readJson('--answer-tokens', flags.answerTokens, violations) }),
    ...(flags.model === undefined ? {} : { model: flags.model }),
    // What a user typed may be no preset at all: the violations below say so.
  } as SimulatorOptions
  const named = new Set(violations.map(({ path }) => path))
  for (const violation of optionViolations(options).map(underFlag)) {
    if (!named.has(violation.path)) violations.push(violation)
  }
  if (violations.length > 0) throw new UsageError(violations)
  return options
}

/** `maxNumSeqs` becomes `--max-num-seqs`, `faults.NAME` becomes `--fault NAME`. */
function underFlag({ path, message }: OptionViolation): Violation {
  if (path.startsWith('faults')) return { path: `--fault ${path.slice(7)}`.trim(), message }
  if (path === 'law.maxNumBatchedTokens') return { path: '--max-num-batched-tokens', message }
  if (path.startsWith('law.')) return { path: `--law ${path.slice(4)}`, message }
  return { path: `--${path.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`, message }
}

function readFaults(texts: readonly string[], violations: Violation[]): Record<string, number> {
  const faults: Record<string, number> = {}
  for (const text of texts) {
    const [name = '', fraction = ''] = text.split('=')
    const value = fraction.trim() === '' ? Number.NaN : Number(fraction)
    if (Number.isNaN(value)) {
      violations.push({
        path: `--fault ${name}`,
        message: `must be NAME=FRACTION, got ${JSON.stringify(text)}`,
      })
    }
    faults[name] = value
  }
  return faults
}

function readJson(path: string, text: string | undefined, violations: Violation[]): Record<string, unknown> {
  if (text === undefined) return {}
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
    violations.push({ path, message: 'must be a JSON object' })
  } catch (error) {
    violations.push({ path, message: `is not JSON: ${(error as Error).message}` })
  }
  return {}
}

function readyJson({ url, port, refusePort, options }: RunningSimulator): string {
  return `${JSON.stringify({ url, port, refusePort, model: options.model, preset: options.preset, law: options.law })}\n`
}

function readyText({ url, refusePort, options }: RunningSimulator): string {
  const { preset, model, law } = options
  const lines = [
    `${preset}: ${PRESETS[preset].summary}`,
    '',
    `  base URL   ${url}/v1`,
    `  model      ${model}`,
    `  slots      ${law.maxNumSeqs} (max_num_seqs)`,
    `  truth      ${url}/sim/truth`,
    `  metrics    ${url}/metrics`,
    ...(refusePort === null ? [] : [`  refusing   port ${refusePort}`]),
    '',
    'Ctrl-C stops it.',
  ]
  return `${lines.join('\n')}\n`
}
