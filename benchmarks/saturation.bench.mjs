// Does the load generator know when it is the bottleneck? A ladder of injected trouble: an event loop that is kept busy,
// and more streams than one process can hold. On each rung the true lag of every event is measured (client stamp minus
// server write stamp, p99) and compared with the verdict that the load process reaches from its own readings.
//
//   node benchmarks/saturation.bench.mjs [--quick]
//
// The limit is 5 ms or 5 % of TTFT, whichever is less. No rung beyond it may be called healthy; of the rungs below half
// of it at least 90 % must be.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { judgeGenerators } from '@loadcurve/core/metrics/generator-health'
import { forkMetronome } from '@loadcurve/loadgen/process/fork-metronome'
import { preferOverOthers } from '@loadcurve/loadgen/process/ownership'

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } })
const busyRungs = [0, 1, 2, 4, 8, 16, 32].map((busyMs) => ({ streams: 50, busyMs, busyEveryMs: 100 }))
const rareRungs = [10, 40].map((busyMs) => ({ streams: 50, busyMs, busyEveryMs: 500 }))
const streamRungs = [1, 10, 200, 500, 1000, 2000, 3000].map((streams) => ({
  streams,
  busyMs: 0,
  busyEveryMs: 0,
}))
const quickRungs = [busyRungs[0], busyRungs[5], rareRungs[1]]
const rungs = values.quick ? quickRungs : [...busyRungs, ...rareRungs, ...streamRungs]
const score = { events: 30, everyMs: 100 }

// As in a run, the beats come from a process that has nothing else to do: one that is writing a burst cannot beat, and
// a pause of the client would hide behind it.
const [server, metronome] = await Promise.all([forkMetronome(), forkMetronome()])
const { streamPort } = server
const { beatPort } = metronome
console.log('streams  busy        |  lag p50    p95    p99 | limit | knew p99  loop p99 | verdict')
const outcomes = []
for (const rung of rungs) outcomes.push(await climb(rung))
server.stop()
metronome.stop()

const late = outcomes.filter(({ lagMs, limitMs }) => lagMs > limitMs)
const clean = outcomes.filter(({ lagMs, limitMs }) => lagMs < limitMs / 2)
const missed = late.filter(({ healthy }) => healthy)
const trusted = clean.filter(({ healthy }) => healthy)
console.log(`${late.length} rungs beyond the limit, ${missed.length} of them called healthy (must be 0)`)
console.log(
  `${clean.length} rungs below half of it, ${trusted.length} of them called healthy (at least 90 %)`,
)
process.exitCode = missed.length === 0 && trusted.length >= 0.9 * clean.length ? 0 : 1

async function climb(rung) {
  const child = fork(fileURLToPath(new URL('./clients/saturation-process.mjs', import.meta.url)))
  // As a load process is: what the machine does besides is not what this ladder is about.
  preferOverOthers(child)
  child.send({ ...rung, ...score, streamPort, beatPort })
  const [{ readings, lagMs, ttftMs }] = await once(child, 'message')
  const verdict = judgeGenerators([readings], { loop: 'closed', ttftMs })
  report(rung, { readings, lagMs, verdict })
  return { lagMs: lagMs.p99, limitMs: verdict.lagLimitMs, healthy: verdict.healthy }
}

function report({ streams, busyMs, busyEveryMs }, { readings, lagMs, verdict }) {
  const cell = (value) => value.toFixed(2).padStart(7)
  const busy = busyMs === 0 ? '-' : `${busyMs} of ${busyEveryMs} ms`
  const lags = [lagMs.p50, lagMs.p95, lagMs.p99].map(cell).join(' ')
  const known = `${cell(readings.receiveLagP99Ms)}  ${cell(readings.eventLoopDelayP99Ms)}`
  const words = verdict.healthy ? 'healthy' : verdict.reasons.join(', ')
  console.log(
    `${String(streams).padStart(7)}  ${busy.padEnd(12)}|  ${lags} | ${cell(verdict.lagLimitMs)} | ${known} | ${words}`,
  )
}
