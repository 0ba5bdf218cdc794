// What does a streamed event cost? CPU time per content event at 500 streams, for our client, a bare node:net reader
// and a fetch-based client. All three split the events and parse their JSON; ours also stamps, counts and records.
//
//   node benchmarks/cost.bench.mjs [--streams N] [--rounds R]
//
// Rounds go forwards and backwards in turn (A B C, C B A), medians are compared. Limits: ours at most 1.5 times the
// reader and at most 0.7 times fetch. aiohttp and httpx are shown when this machine's Python has them.
import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { forkMetronome } from '@loadcurve/loadgen/process/fork-metronome'
import { median } from './clients/lags.mjs'

const { values } = parseArgs({
  options: { streams: { type: 'string', default: '500' }, rounds: { type: 'string', default: '6' } },
})
const streams = Number(values.streams)
const score = { streams, events: 100, everyMs: 40 }
const fileOf = (name) => fileURLToPath(new URL(`./clients/${name}`, import.meta.url))

const metronome = await forkMetronome()
const clients = Object.fromEntries(
  ['ours', 'reader', 'fetch'].map((kind) => [kind, { child: fork(fileOf('cost-process.mjs')), costsUs: [] }]),
)
// The first round of each warms it up.
for (const kind of Object.keys(clients)) await playRound(kind)
for (let round = 0; round < Number(values.rounds); round++) {
  const order = round % 2 === 0 ? Object.keys(clients) : Object.keys(clients).reverse()
  for (const kind of order) clients[kind].costsUs.push(await playRound(kind))
}
for (const { child } of Object.values(clients)) child.disconnect()
const passed = report()
for (const library of ['aiohttp', 'httpx']) await showPython(library)
metronome.stop()
process.exitCode = passed ? 0 : 1

async function playRound(kind) {
  const { child } = clients[kind]
  child.send({ kind, port: metronome.streamPort, ...score })
  const [{ cpuUsPerEvent }] = await once(child, 'message')
  return cpuUsPerEvent
}

function report() {
  const costUs = (kind) => median(clients[kind].costsUs)
  for (const [kind, { costsUs }] of Object.entries(clients)) {
    const all = costsUs.map((cost) => cost.toFixed(1)).join(' ')
    console.log(`${kind.padEnd(7)} ${costUs(kind).toFixed(1).padStart(6)} us per event   (${all})`)
  }
  const limits = [
    ['reader', 1.5],
    ['fetch', 0.7],
  ]
  return limits
    .map(([kind, limit]) => reportRatio(costUs('ours') / costUs(kind), { kind, limit }))
    .every(Boolean)
}

function reportRatio(ratio, { kind, limit }) {
  const ok = ratio <= limit
  console.log(`ours / ${kind}: ${ratio.toFixed(2)} (at most ${limit}) ${ok ? 'ok' : 'TOO MUCH'}`)
  return ok
}

async function showPython(library) {
  const path = `/streams/${streams}/events/${score.events}/every/${score.everyMs}/v1/chat/completions`
  const args = [fileOf('python-client.py'), library, String(metronome.streamPort), path, String(streams)]
  try {
    const { stdout } = await promisify(execFile)('python3', args)
    console.log(
      `${library.padEnd(7)} ${JSON.parse(stdout).cpuUsPerEvent.toFixed(1).padStart(6)} us per event`,
    )
  } catch {
    console.log(`${library}: not installed here`)
  }
}
