/** `loadcurve up`: the service on this machine, until Ctrl-C. */

import type { RegisterCommand } from '../context.ts'
import { CommandFailure } from '../errors.ts'
import { startStack } from '../services/stack.ts'
import { aborted, stopRequest } from '../services/stop-request.ts'
import { Supervisor } from '../services/supervisor.ts'

const HELP = `
Starts the API with its dashboard, a worker, and, unless DATABASE_URL names a
Postgres, a local one. Ctrl-C stops everything that was started, in order;
plans, runs and results are kept.

Environment:
  DATABASE_URL              Postgres to use instead of a local one
  REDIS_URL                 Redis for the queues; without: in Postgres
  LOADCURVE_PORT            port of the API (4400)
  LOADCURVE_HOST            address it listens on (127.0.0.1); others need
  LOADCURVE_API_KEYS        keys, separated by commas
  LOADCURVE_DATA_DIR        folder of the local Postgres
  LOADCURVE_LOAD_PROCESSES  load processes of the worker (half of the cores)
  LOADCURVE_TARGETS         hosts and networks that may be loaded (loopback)
  LOADCURVE_TARGET_KEY_X    key of a target whose plan says apiKeyRef: "x"

Example:
  loadcurve up
  loadcurve run plan.json      (in another terminal)`

export const registerUp: RegisterCommand = (program, context) => {
  program
    .command('up')
    .description('run the service: API, dashboard, worker and a local Postgres')
    .addHelpText('after', HELP)
    .action(async () => {
      const say = (line: string) => void context.stderr.write(`${line}\n`)
      const supervisor = new Supervisor({ env: context.env, quiet: false, say })
      const stop = stopRequest(() => supervisor.kill())
      try {
        const started = startStack(supervisor, context.env)
        const stack = await Promise.race([started, aborted(stop.signal).then(() => null)])
        if (stack !== null) {
          say(`Loadcurve is at ${stack.url} (Ctrl-C stops it)`)
          const failure = await Promise.race([supervisor.failed, aborted(stop.signal)])
          if (failure instanceof Error) throw new CommandFailure(failure.message)
        }
        say('Stopping')
        // A start that is under way ends by itself once it sees that we stop.
        await Promise.all([supervisor.stop(), started.catch(() => {})])
        say(`Stopped. Plans, runs and results are kept in ${supervisor.keptIn}.`)
      } finally {
        await supervisor.stop()
        stop.dispose()
      }
    })
}
