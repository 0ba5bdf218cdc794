// What the simulated server costs.
//
// 1. CPU per streamed token at 500 streams in lockstep, 20 ms per step: the simulator beside two servers that only
//    write the same bytes at the same pace, one with a bare socket (the floor), one with ServerResponse.write (what a
//    plain Node server does). A-B-C-C-B-A order, medians; processes of their own, read by a bare socket client.
// 2. The engine in virtual time: seconds of load per second, and CPU per token against the batch.
import { fork } from 'node:child_process'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { runClosedLoop } from '@loadcurve/sim/engine/closed-loop'
import { PRESETS } from '@loadcurve/sim/presets/presets'

const STREAMS = 500
const WINDOW_MS = 3000
const WARM_MS = 1500

console.log(`CPU per token at ${STREAMS} streams, 20 ms per step (server process only, load average matters)`)
const kinds = ['simulator', 'socket', 'response']
const costs = Object.fromEntries(kinds.map((kind) => [kind, []]))
for (const kind of [...kinds, ...kinds.toReversed()]) costs[kind].push(await costUsPerToken(kind))
const median = Object.fromEntries(kinds.map((kind) => [kind, middle(costs[kind].map(({ us }) => us))]))
for (const kind of kinds) {
  const late = costs[kind].map(({ lateP95Ms }) => lateP95Ms.toFixed(1)).join(' and ')
  const us = median[kind].toFixed(1).padStart(6)
  console.log(
    `  ${kind.padEnd(10)} ${us} us   ${(median[kind] / median.socket).toFixed(2)} x the bare socket   late p95 ${late} ms`,
  )
}

console.log('\nEngine in virtual time (preset 8b-h100, 512 / 256 tokens)')
const { law } = PRESETS['8b-h100']
const workload = {
  inputTokens: { kind: 'fixed', tokens: 512 },
  outputTokens: { kind: 'uniform', min: 205, max: 307 },
}
for (const concurrency of [1, 16, 64, 256, 512]) {
  const before = process.cpuUsage()
  const run = runClosedLoop({
    law,
    workload,
    concurrency,
    requests: Math.max(2000, 10 * concurrency),
    seed: 1,
  })
  const { user } = process.cpuUsage(before)
  const faster = Math.round((run.windowEndMs * 1000) / user)
  const perToken = ((user * 1000) / run.tokens).toFixed(0)
  const batch = run.decodeBatchMean.toFixed(1)
  console.log(
    `  ${String(concurrency).padStart(4)} clients, batch ${batch.padStart(5)}: ${faster} s of load per CPU second, ${perToken} ns per token`,
  )
}

async function costUsPerToken(kind) {
  const child = fork(fileURLToPath(new URL('./sim-server.mjs', import.meta.url)), [kind])
  const ask = (message) =>
    new Promise((resolve) => {
      child.once('message', resolve)
      child.send(message)
    })
  const { port } = await ask('start')
  const sockets = openStreams(port)
  await passed(WARM_MS)
  const before = await ask('reading')
  await passed(WINDOW_MS)
  const after = await ask('reading')
  for (const socket of sockets) socket.destroy()
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.disconnect()
  await ended
  return { us: (after.cpuUs - before.cpuUs) / (after.tokens - before.tokens), lateP95Ms: after.lateP95Ms }
}

function openStreams(port) {
  const tokens = Math.ceil((WARM_MS + WINDOW_MS + 5000) / 20)
  const body = JSON.stringify({
    messages: [{ role: 'user', content: 'Go on.' }],
    max_tokens: tokens,
    ignore_eos: true,
    stream: true,
  })
  const text = `POST /v1/chat/completions HTTP/1.1\r\nHost: sim\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  return Array.from({ length: STREAMS }, () => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.on('data', () => {})
    socket.on('error', () => {})
    socket.write(text)
    return socket
  })
}

function passed(durationMs) {
  return new Promise((resolve) => setTimeout(resolve, durationMs))
}

function middle(values) {
  const sorted = [...values].sort((a, b) => a - b)
  return (sorted[Math.floor((sorted.length - 1) / 2)] + sorted[Math.ceil((sorted.length - 1) / 2)]) / 2
}
