/** `loadcurve run PLAN`: submits a plan, follows the run, prints the recommendation. */
import { readFileSync } from 'node:fs'
import { validatePlan } from '@loadcurve/core/plan/validate'
import { recommendationText } from '@loadcurve/report/terminal/recommendation-text'
import { ApiClient, type ApiEvent, ApiProblem } from '../client/api-client.ts'
import { EXIT_INVALID_PLAN, exitCodeOf } from '../client/exit-code.ts'
import { followRun } from '../client/follow-run.ts'
import { RunProgress } from '../client/run-progress.ts'
import type { CommandContext, RegisterCommand } from '../context.ts'
import { CommandFailure, UsageError } from '../errors.ts'
import { startStack } from '../services/stack.ts'
import { stopRequest } from '../services/stop-request.ts'
import { Supervisor } from '../services/supervisor.ts'
import { whyUnreadable } from '../unreadable.ts'

const HELP = `
PLAN is a JSON file (see examples/plans). Without --server the service at
127.0.0.1:4400 is used when it is there; otherwise it is started for this run
and stopped afterwards. Ctrl-C cancels the run; what was measured is kept.

Exit codes: 0 SLO met, 1 the run failed or was cancelled, 2 usage,
            3 the plan is not valid, 4 SLO missed at every level,
            5 inconclusive.

Environment:
  LOADCURVE_API_KEY  key for a server that asks for one

Example:
  loadcurve run examples/plans/interactive.json`

interface RunOptions {
  readonly server?: string
  readonly json?: boolean
}

export const registerRun: RegisterCommand = (program, context) => {
  program
    .command('run')
    .description('submit a plan, follow it, print the recommendation')
    .argument('<plan>', 'JSON file with the plan')
    .option('--server <url>', 'API to submit it to')
    .option('--json', 'print the recommendation as JSON')
    .addHelpText('after', HELP)
    .action((plan: string, options: RunOptions) => runPlan(context, plan, options))
}

async function runPlan(context: CommandContext, planFile: string, options: RunOptions): Promise<void> {
  const plan = validPlan(readPlan(planFile))
  const say = (line: string) => void context.stderr.write(`${line}\n`)
  const supervisor = new Supervisor({ env: context.env, quiet: true, say })
  const stop = stopRequest(() => supervisor.kill())
  try {
    const client = await connect(context, supervisor, options)
    await submit({ context, client, plan, signal: stop.signal, asJson: options.json === true })
  } finally {
    await supervisor.stop()
    stop.dispose()
  }
}

/** Submits a plan, follows it and prints the answer; sets the exit code. */
export async function submit({
  context,
  client,
  plan,
  signal,
  asJson,
}: {
  readonly context: CommandContext
  readonly client: ApiClient
  readonly plan: unknown
  readonly signal: AbortSignal
  readonly asJson: boolean
}): Promise<void> {
  const run = await start(client, plan)
  const progress = new RunProgress(context)
  const events: ApiEvent[] = []
  const followed = await followRun({
    client,
    runId: run.id,
    signal,
    onEvent: (event) => {
      events.push(event)
      progress.see(event)
    },
  })
  const { recommendation } = followed
  if (recommendation !== null) {
    const slo = (followed.run.plan as { slo?: [] }).slo ?? []
    context.stdout.write(
      asJson
        ? `${JSON.stringify(recommendation, null, 2)}\n`
        : recommendationText(recommendation, { slo, display: context.display }),
    )
  }
  context.setExitCode(exitCodeOf({ state: followed.run.state, recommendation, events }))
}

async function start(client: ApiClient, plan: unknown): Promise<{ readonly id: string }> {
  try {
    const { id } = await client.createPlan(plan)
    return await client.startRun(id)
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error
    if (error.violations.length > 0) throw new UsageError(error.violations, EXIT_INVALID_PLAN)
    throw new CommandFailure(error.message)
  }
}

async function connect(
  { env }: CommandContext,
  supervisor: Supervisor,
  { server }: RunOptions,
): Promise<ApiClient> {
  const apiKey = env['LOADCURVE_API_KEY'] || null
  const url = server ?? `http://127.0.0.1:${env['LOADCURVE_PORT'] || 4400}`
  const client = new ApiClient({ url, apiKey })
  if (await client.isThere()) return client
  if (server !== undefined) throw new CommandFailure(`no Loadcurve API answers at ${server}`)
  const stack = await startStack(supervisor, env)
  return new ApiClient({ url: stack.url, apiKey })
}

// Before anything is started. Which targets are allowed is the server's to say: it judges the plan once more.
function validPlan(input: unknown): unknown {
  const { violations } = validatePlan(input, null)
  if (violations.length > 0) throw new UsageError(violations, EXIT_INVALID_PLAN)
  return input
}

function readPlan(file: string): unknown {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError([{ path: file, message: whyUnreadable(file, error) }])
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(
      [{ path: file, message: `is not JSON: ${(error as Error).message}` }],
      EXIT_INVALID_PLAN,
    )
  }
}
