/** The services of `up`: database, API and worker, with one environment. */
import { API_ENTRY, WORKER_ENTRY } from './entries.ts'
import type { Supervisor } from './supervisor.ts'

export interface Stack {
  /** Where the API and the dashboard are. */
  readonly url: string
}

/** Starts database, API and worker. */
export async function startStack(
  supervisor: Supervisor,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Stack> {
  const env = {
    ...environment,
    DATABASE_URL: await supervisor.startDatabase(),
    LOADCURVE_DATA_DIR: supervisor.dataDir,
  }
  const api = await supervisor.start({ name: 'api', entry: API_ENTRY(), env })
  const url = api.ready.url ?? ''
  // The worker must know the API's port, whichever it got, to refuse it as a target.
  const port = new URL(url).port
  await supervisor.start({ name: 'worker', entry: WORKER_ENTRY(), env: { ...env, LOADCURVE_PORT: port } })
  return { url }
}
