/** The worker process: `node dist/main.js`, or started by `loadcurve up`. */
import type { ServiceReady } from '@loadcurve/core/run/service-message'
import { ConfigError, readConfig, type WorkerConfig } from './config.ts'
import { createLog } from './log.ts'
import { stopOnRequest } from './shutdown.ts'
import { type RunningWorker, startWorker } from './worker.ts'

const EXIT_USAGE = 2

const config = configOrExit()
const log = createLog(config)
let worker: RunningWorker | null = null
// Before anything is started: a request to stop may come at any moment.
stopOnRequest(log, async () => worker?.stop())
try {
  worker = await startWorker(config, log, process.env)
  process.send?.({ type: 'ready', url: null } satisfies ServiceReady)
} catch (error) {
  log.fatal({ err: error }, 'the worker could not start')
  process.exitCode = 1
  // What the failed start left open must not keep the process.
  setTimeout(() => process.exit(1), 500)
}

function configOrExit(): WorkerConfig {
  try {
    return readConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const violation of error.violations) console.error(`error: ${violation}`)
    process.exit(EXIT_USAGE)
  }
}
