/**
 * The simulated target as a process of its own: a generator that shared an event loop with it would measure itself.
 * Started by `demo`; ends when the channel to its owner closes.
 */
import type { ServiceReady } from '@loadcurve/core/run/service-message'
import type { SimulatorOptions } from '@loadcurve/sim/http-server/options'
import { startSimulator } from '@loadcurve/sim/http-server/server'

// A JSON argument rather than flags: only our own commands start this file.
const options = JSON.parse(process.argv[2] ?? '{}') as SimulatorOptions
const simulator = await startSimulator(options)
const end = () => void simulator.close().then(() => process.exit(0))
process.once('SIGTERM', end)
process.once('SIGINT', end)
process.once('disconnect', end)
process.send?.({ type: 'ready', url: simulator.url } satisfies ServiceReady)
