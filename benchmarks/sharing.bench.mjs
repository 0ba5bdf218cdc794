// Two load processes share a step: what does it cost, and what does it gain?
//
//   node benchmarks/sharing.bench.mjs [--streams N] [--rounds R]
//
// CPU per event with two processes may be at most 1.15 times that of one (A B B A, medians). How many more events two
// carry when one is overloaded is asserted (at least 1.7 times) only on four cores or more: below that, the clients and
// the servers that feed them share the cores, and the figure would be about the machine.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { forkMetronome } from '@loadcurve/loadgen/process/fork-metronome'
import { median } from './clients/lags.mjs'

const { values } = parseArgs({
  options: { streams: { type: 'string', default: '500' }, rounds: { type: 'string', default: '9' } },
})
const costLimit = 1.15
const gainLimit = 1.7
const coresMin = 4
const calm = { streams: Number(values.streams), events: 100, everyMs: 40, isShared: true }
const overload = { streams: 3000, events: 60, everyMs: 10 }

// The calm step is one server's; in overload each process has a server of its own, so that none of them is the limit.
const pairs = await Promise.all([0, 1].map(startPair))
await play(calm, 2)
const costs = { 1: [], 2: [] }
for (let round = 0; round < Number(values.rounds); round++) {
  for (const processes of round % 2 === 0 ? [1, 2] : [2, 1])
    costs[processes].push((await play(calm, processes)).costUs)
}
const costPassed = reportCost(median(costs[1]), median(costs[2]))
const gainPassed = await reportGain()
for (const { client, metronome } of pairs) {
  client.disconnect()
  metronome.stop()
}
process.exitCode = costPassed && gainPassed ? 0 : 1

async function startPair() {
  const client = fork(fileURLToPath(new URL('./clients/cost-process.mjs', import.meta.url)))
  return { client, metronome: await forkMetronome() }
}

/** One round, its streams dealt evenly: mean CPU per event, and events per second over all processes. */
async function play({ streams, events, everyMs, isShared = false }, processes) {
  const own = streams / processes
  const group = isShared ? streams : own
  const startedAtMs = performance.now()
  const answers = await Promise.all(
    pairs.slice(0, processes).map(async ({ client, metronome }) => {
      const { streamPort: port } = isShared ? pairs[0].metronome : metronome
      client.send({ kind: 'ours', port, streams: own, group, events, everyMs })
      const [{ cpuUsPerEvent, events: seen }] = await once(client, 'message')
      if (seen !== (streams / processes) * events)
        throw new Error(`${seen} events seen, ${streams * events} were sent`)
      return cpuUsPerEvent
    }),
  )
  const seconds = (performance.now() - startedAtMs) / 1000
  return {
    costUs: answers.reduce((sum, cost) => sum + cost, 0) / processes,
    perS: (streams * events) / seconds,
  }
}

function reportCost(oneUs, twoUs) {
  const ratio = twoUs / oneUs
  console.log(`one process   ${oneUs.toFixed(1)} us per event`)
  console.log(`two processes ${twoUs.toFixed(1)} us per event, every event counted once`)
  console.log(
    `two / one: ${ratio.toFixed(2)} (at most ${costLimit}) ${ratio <= costLimit ? 'ok' : 'TOO MUCH'}`,
  )
  return ratio <= costLimit
}

async function reportGain() {
  const cores = availableParallelism()
  if (cores < coresMin) {
    console.log(`carried events two / one: skipped, ${cores} cores (needs ${coresMin})`)
    return true
  }
  const gain = (await play(overload, 2)).perS / (await play(overload, 1)).perS
  console.log(`carried events two / one: ${gain.toFixed(2)} (at least ${gainLimit})`)
  return gain >= gainLimit
}
