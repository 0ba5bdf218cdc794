/** `loadcurve demo`: the whole product on this machine in a few minutes, against a simulated server. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { ApiClient } from '../client/api-client.ts'
import type { CommandContext, RegisterCommand } from '../context.ts'
import { CommandFailure } from '../errors.ts'
import { SIMULATOR_ENTRY } from '../services/entries.ts'
import { startStack } from '../services/stack.ts'
import { aborted, stopRequest } from '../services/stop-request.ts'
import { Supervisor } from '../services/supervisor.ts'
import { submit } from './run.ts'

const HELP = `
Starts a simulated inference server, the service and a local Postgres, submits
examples/plans/demo.json over REST, shows each step, and prints the
recommendation: about four minutes. Then the dashboard stays open until Ctrl-C.

Example:
  loadcurve demo --exit`

const PLAN = new URL('../../../../examples/plans/demo.json', import.meta.url)
const SIMULATOR = { preset: 'small' }
const PORT_DEFAULT = 4400

export const registerDemo: RegisterCommand = (program, context) => {
  program
    .command('demo')
    .description('everything at once, against a simulated server: a recommendation in about four minutes')
    .option('--exit', 'stop when the recommendation is printed')
    .addHelpText('after', HELP)
    .action((options: { exit?: boolean }) => demo(context, options.exit === true))
}

async function demo(context: CommandContext, exit: boolean): Promise<void> {
  const say = (line: string) => void context.stderr.write(`${line}\n`)
  const supervisor = new Supervisor({ env: context.env, quiet: true, say })
  const stop = stopRequest(() => supervisor.kill())
  try {
    const started = startEverything(context, supervisor)
    const parts = await Promise.race([started, aborted(stop.signal).then(() => null)])
    if (parts === null) return void started.catch(() => {})
    say(`Dashboard: ${parts.url}\n`)
    const client = new ApiClient({ url: parts.url, apiKey: firstKey(context.env) })
    const plan = demoPlan(parts.simulatorUrl)
    await Promise.race([
      submit({ context, client, plan, signal: stop.signal, asJson: false }),
      supervisor.failed.then((error) => {
        throw new CommandFailure(error.message)
      }),
    ])
    if (exit || stop.signal.aborted) return
    say(`\nThe dashboard stays at ${parts.url} until Ctrl-C.`)
    await aborted(stop.signal)
  } finally {
    await supervisor.stop()
    say(`Stopped. Plans, runs and results are kept in ${supervisor.keptIn}.`)
    stop.dispose()
  }
}

async function startEverything(context: CommandContext, supervisor: Supervisor) {
  const simulator = await supervisor.start({
    name: 'simulator',
    entry: SIMULATOR_ENTRY(),
    args: [JSON.stringify(SIMULATOR)],
    env: {},
  })
  const port = context.env['LOADCURVE_PORT'] || String(await portFor(PORT_DEFAULT))
  const { url } = await startStack(supervisor, { ...context.env, LOADCURVE_PORT: port })
  return { url, simulatorUrl: simulator.ready.url ?? '' }
}

/** The example as it stands, aimed at the simulator that we started. */
function demoPlan(simulatorUrl: string): unknown {
  const plan = JSON.parse(readFileSync(PLAN, 'utf8'))
  const target = { ...plan.target, baseUrl: `${simulatorUrl}/v1`, metricsUrl: `${simulatorUrl}/metrics` }
  const urls = { controlUrl: `${simulatorUrl}/sim/control`, readyUrl: `${simulatorUrl}/health` }
  return { ...plan, target, sweep: { ...plan.sweep, batch: { ...plan.sweep.batch, ...urls } } }
}

function firstKey(env: CommandContext['env']): string | null {
  return env['LOADCURVE_API_KEYS']?.split(',')[0]?.trim() || null
}

// A demo must not fail because the service runs already: then any other port does.
function portFor(wanted: number): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(0))
    probe.listen(wanted, '127.0.0.1', () => probe.close(() => resolve(wanted)))
  })
}
