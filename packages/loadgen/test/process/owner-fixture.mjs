// An owner that a test can kill: forks a load process, starts its endless step, and tells the process id.
import { MonotonicClock } from '@loadcurve/loadgen/clock'
import { forkLoadProcess } from '@loadcurve/loadgen/process/fork'

process.once('message', async (order) => {
  const load = forkLoadProcess({ order, env: {} })
  await load.ready
  load.go(new MonotonicClock().nowMs())
  process.send({ pid: load.pid })
})
