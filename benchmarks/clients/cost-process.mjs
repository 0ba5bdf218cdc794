// One kind of client in a process of its own, so that the garbage of one is not on the bill of another. Its owner asks
// for rounds; each answers with the CPU time per content event between the first and the last fifth of the events.
import { MonotonicClock } from '@loadcurve/loadgen/clock'
import { readBare } from './bare-reader.mjs'
import { readFetched } from './fetch-client.mjs'
import { openMetronome, recordedReader } from './our-client.mjs'

const clock = new MonotonicClock()
const nowMs = () => clock.nowMs()
process.on('disconnect', () => process.exit(1))
process.on('message', async ({ kind, port, streams, group = streams, events, everyMs }) => {
  const meter = new Meter(streams * events)
  const basePath = `/streams/${group}/events/${events}/every/${everyMs}`
  const { read, close } = clientOf(kind, { port, basePath, streams, onEvent: () => meter.onEvent() })
  await Promise.all(Array.from({ length: streams }, () => read()))
  await close()
  process.send({ cpuUsPerEvent: meter.cpuUsPerEvent(), events: meter.events })
})

class Meter {
  #events = 0
  #from
  #to
  #startCpu
  #endCpu

  constructor(total) {
    this.#from = Math.floor(total / 5)
    this.#to = Math.floor((total * 4) / 5)
  }

  get events() {
    return this.#events
  }

  onEvent() {
    this.#events++
    if (this.#events === this.#from) this.#startCpu = process.cpuUsage()
    if (this.#events === this.#to) this.#endCpu = process.cpuUsage(this.#startCpu)
  }

  cpuUsPerEvent() {
    return (this.#endCpu.user + this.#endCpu.system) / (this.#to - this.#from)
  }
}

function clientOf(kind, { port, basePath, streams, onEvent }) {
  const path = `${basePath}/v1/chat/completions`
  const close = async () => {}
  if (kind === 'reader') return { read: () => readBare({ port, path, nowMs, parse: true, onEvent }), close }
  if (kind === 'fetch') return { read: () => readFetched({ port, path, nowMs, onEvent }), close }
  const target = openMetronome({ port, basePath, streams, nowMs })
  return { read: recordedReader(target, { onEvent }), close: () => target.close() }
}
