// How true are our stamps? Client stamp minus server write stamp (one monotonic clock), streams in lockstep bursts as
// engines emit them, beside an interleaved bare node:net reader of the same stream.
//
//   node benchmarks/clock.bench.mjs [streams ...] [--rounds R] [--retries K] [--seconds S]
//
// Ours may be later than the reader by 1 / 1 / 2 / 5 / 10 ms at p95 for 1 / 10 / 100 / 500 / 1000 streams. A round in
// which the server itself was late by more than that says nothing about a client: it is repeated, and what never came
// to a conclusion is printed as such. Ends with 1 when a limit was passed. With --retries, a rung that passed its limit
// is measured again up to K times: for a machine that is busy with other things.
import { parseArgs } from 'node:util'
import { calibrate } from '@loadcurve/loadgen/calibrate'
import { MonotonicClock } from '@loadcurve/loadgen/clock'
import { forkMetronome } from '@loadcurve/loadgen/process/fork-metronome'
import { readBare } from './clients/bare-reader.mjs'
import { median, roundOf } from './clients/lags.mjs'
import { openMetronome, readWithText } from './clients/our-client.mjs'

const rungs = [
  { streams: 1, everyMs: 20, limitMs: 1 },
  { streams: 10, everyMs: 20, limitMs: 1 },
  { streams: 100, everyMs: 20, limitMs: 2 },
  { streams: 500, everyMs: 20, limitMs: 5 },
  { streams: 1000, everyMs: 40, limitMs: 10 },
]
const attemptsPerRound = 4

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '3' },
    retries: { type: 'string', default: '0' },
    seconds: { type: 'string', default: '3' },
  },
})
const wanted = positionals.map(Number)
const clock = new MonotonicClock()
const nowMs = () => clock.nowMs()
const metronome = await forkMetronome()

await calibrate({ clock, streamPort: metronome.streamPort, streams: 64 })
console.log('streams  every   |  ours p50    p95    p99 | reader p50    p95    p99 |  excess p95 (limit)')
let passed = true
for (const { streams, everyMs, limitMs } of rungs) {
  if (wanted.length > 0 && !wanted.includes(streams)) continue
  const rung = { streams, everyMs, limitMs, events: Math.round((Number(values.seconds) * 1000) / everyMs) }
  let inTime = await measureRung(rung)
  for (let retry = 0; !inTime && retry < Number(values.retries); retry++) inTime = await measureRung(rung)
  passed = inTime && passed
}
metronome.stop()
process.exitCode = passed ? 0 : 1

async function measureRung(rung) {
  const ours = []
  const readers = []
  // A B B A: a drift of the machine falls on both alike.
  for (let round = 0; round < Number(values.rounds); round++) {
    const order = round % 2 === 0 ? [readBareRound, readOurRound] : [readOurRound, readBareRound]
    for (const read of order) {
      const conclusive = await conclusiveRound(read, rung)
      if (conclusive !== null) (read === readOurRound ? ours : readers).push(conclusive)
    }
  }
  if (ours.length === 0 || readers.length === 0) {
    console.log(`${label(rung)} |  inconclusive: the server itself was late in every round`)
    return true
  }
  return report(rung, ours, readers)
}

async function conclusiveRound(read, rung) {
  for (let attempt = 0; attempt < attemptsPerRound; attempt++) {
    const round = roundOf(await read(rung), { everyMs: rung.everyMs, skip: Math.floor(rung.events / 5) })
    if (round.serverLateMs <= rung.limitMs) return round
  }
  return null
}

function report(rung, ours, readers) {
  const of = (rounds, key) => median(rounds.map((round) => round[key]))
  const cell = (value) => value.toFixed(2).padStart(6)
  const excessMs = of(ours, 'p95') - of(readers, 'p95')
  const row = (rounds) => ['p50', 'p95', 'p99'].map((key) => cell(of(rounds, key))).join(' ')
  const ok = excessMs <= rung.limitMs
  console.log(
    `${label(rung)} |    ${row(ours)} |     ${row(readers)} | ${cell(excessMs)} ms (${rung.limitMs}) ${ok ? 'ok' : 'TOO LATE'}`,
  )
  return ok
}

function label({ streams, everyMs }) {
  return `${String(streams).padStart(7)}  ${everyMs} ms  `
}

function pathOf({ streams, events, everyMs }) {
  return `/streams/${streams}/events/${events}/every/${everyMs}`
}

async function readBareRound(rung) {
  const path = `${pathOf(rung)}/v1/chat/completions`
  const streams = await opened(rung, () => readBare({ port: metronome.streamPort, path, nowMs }))
  return streams.map((events) =>
    events.map(({ atMs, event }) => ({ atMs, writtenAtMs: writtenAtMs(event.choices[0].delta.content) })),
  )
}

async function readOurRound(rung) {
  const target = openMetronome({
    port: metronome.streamPort,
    basePath: pathOf(rung),
    streams: rung.streams,
    nowMs,
  })
  const answers = await opened(rung, () => readWithText(target))
  await target.close()
  return answers.map(({ stream }) => stream)
}

// The last stream to come starts the bursts.
function opened({ streams }, read) {
  return Promise.all(Array.from({ length: streams }, () => read()))
}

// `<read>:<written>`
function writtenAtMs(text) {
  return Number.parseFloat(text.slice(text.indexOf(':') + 1))
}
