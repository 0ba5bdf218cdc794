// One server of sim.bench.mjs, in a process of its own: `simulator`, or one that writes ready-made bytes on a timer.
import { createServer } from 'node:http'
import { startSimulator } from '@loadcurve/sim/http-server/server'

const STEP_MS = 20
const EVENT =
  'data: {"id":"chatcmpl-sim-1-100","object":"chat.completion.chunk","created":1700000000,"model":"sim/small",' +
  '"choices":[{"index":0,"delta":{"content":" word"},"logprobs":null,"finish_reason":null}]}\n\n'
const CHUNK = Buffer.from(`${EVENT.length.toString(16)}\r\n${EVENT}\r\n`)

const server =
  process.argv[2] === 'simulator' ? await simulator() : await writer(process.argv[2] === 'socket')
process.on('message', (message) =>
  process.send(message === 'start' ? { port: server.port } : server.reading()),
)
process.on('disconnect', () => process.exit(0))

async function simulator() {
  const sim = await startSimulator({
    preset: 'small',
    law: {
      baseMs: STEP_MS,
      perSequenceMs: 0,
      maxNumSeqs: 1024,
      maxNumBatchedTokens: null,
      kv: null,
      noise: { stepCv: 0, prefillCv: 0 },
    },
  })
  return {
    port: sim.port,
    reading: () => {
      const { tokens, latenessMs } = sim.simulation.steps.totals(0, Number.POSITIVE_INFINITY)
      return { cpuUs: cpuUs(), tokens, lateP95Ms: latenessMs.p95 ?? 0 }
    },
  }
}

async function writer(bare) {
  const responses = new Set()
  const lateMs = []
  let tokens = 0
  const http = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    responses.add(response)
    response.once('close', () => responses.delete(response))
  })
  let dueMs = performance.now()
  const tick = () => {
    lateMs.push(performance.now() - dueMs)
    for (const response of responses) {
      if (bare) response.socket?.write(CHUNK)
      else response.write(EVENT)
    }
    tokens += responses.size
    dueMs += STEP_MS
    setTimeout(tick, Math.max(0, dueMs - performance.now()))
  }
  tick()
  await new Promise((resolve) => http.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, resolve))
  return {
    port: http.address().port,
    reading: () => ({
      cpuUs: cpuUs(),
      tokens,
      lateP95Ms: lateMs.toSorted((a, b) => a - b)[Math.floor(0.95 * lateMs.length)] ?? 0,
    }),
  }
}

function cpuUs() {
  const { user, system } = process.cpuUsage()
  return user + system
}
