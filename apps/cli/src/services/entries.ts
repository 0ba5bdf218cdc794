/** Where the files of our processes are. They are run, never imported. */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)

// The packages' exports lead to their builds.
export const API_ENTRY = () => require.resolve('@loadcurve/api/server')
export const WORKER_ENTRY = () => require.resolve('@loadcurve/worker/main')

/** The simulated target, as a process of its own: a generator that shares an event loop with it would measure itself. */
export const SIMULATOR_ENTRY = () =>
  fileURLToPath(
    new URL(
      import.meta.url.endsWith('.js') ? './simulator.js' : '../../dist/services/simulator.js',
      import.meta.url,
    ),
  )
