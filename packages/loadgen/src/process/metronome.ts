/**
 * The metronome: a process that answers at instants it tells, so that a load process can measure itself. It sits in a
 * process of its own because a server in the same event loop would be late together with its client.
 *
 * Streams: `POST /streams/<count>/events/<events>/every/<ms>/...` is answered like a chat completion. When `count`
 * such requests have come, all of them get one event per interval, one after the other without a pause: lockstep
 * bursts, as inference engines emit. The text of each event is `<read>:<written>;`, the instants at which the request
 * was read and the event was written, on the machine's monotonic clock, ms.
 *
 * Beats: whoever connects to the beat port gets a little-endian double, the instant of its writing, every 2 to 6 ms.
 * The pause is drawn anew each time, so that beats do not keep step with the bursts of a target.
 *
 * It listens on 127.0.0.1 only and ends with its owner.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { MonotonicClock } from '../clock.ts'
import { endWithOwner, tellOwner } from './ownership.ts'

export interface MetronomePorts {
  readonly streamPort: number
  readonly beatPort: number
}

const clock = new MonotonicClock()
const beatShortestMs = 2
const beatSpreadMs = 4
const requestBytesMax = 64 * 1024 * 1024

interface Stream {
  readonly socket: Socket
  readonly readAtMs: number
}

interface Score {
  readonly count: number
  readonly events: number
  readonly everyMs: number
}

const gathering = new Map<string, Stream[]>()

endWithOwner()
const streams = createServer({ noDelay: true }, (socket) => serveRequests(socket))
const beats = createServer({ noDelay: true }, (socket) => void sendBeats(socket))
const [streamPort, beatPort] = await Promise.all([listen(streams), listen(beats)])
tellOwner({ streamPort, beatPort } satisfies MetronomePorts)

async function listen(server: Server): Promise<number> {
  server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 })
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function sendBeats(socket: Socket): Promise<void> {
  socket.on('error', () => socket.destroy())
  const beat = Buffer.alloc(8)
  while (!socket.destroyed) {
    beat.writeDoubleLE(clock.nowMs())
    // A copy: the socket may keep what it is given.
    socket.write(Buffer.from(beat))
    await sleep(beatShortestMs + beatSpreadMs * Math.random())
  }
}

// As much HTTP as our own client needs: one request at a time, with a length.
function serveRequests(socket: Socket): void {
  let received = ''
  socket.setEncoding('latin1')
  socket.on('error', () => socket.destroy())
  socket.on('data', (text: string) => {
    const readAtMs = clock.nowMs()
    received += text
    const headEnd = received.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(received)?.[1] ?? 0)
    if (length > requestBytesMax) socket.destroy()
    if (received.length < headEnd + 4 + length) return
    const path = received.split(' ', 2)[1] ?? ''
    received = ''
    join(path, { socket, readAtMs })
  })
}

function join(path: string, stream: Stream): void {
  const score = scoreOf(path)
  if (score === null) {
    stream.socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n')
    return
  }
  stream.socket.write(
    'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n',
  )
  const gathered = [...(gathering.get(path) ?? []).filter(({ socket }) => !socket.destroyed), stream]
  gathering.set(path, gathered)
  if (gathered.length < score.count) return
  gathering.delete(path)
  void play(gathered, score)
}

function scoreOf(path: string): Score | null {
  const match = /^\/streams\/(\d+)\/events\/(\d+)\/every\/(\d+)\//.exec(path)
  return match === null
    ? null
    : { count: Number(match[1]), events: Number(match[2]), everyMs: Number(match[3]) }
}

async function play(streams: readonly Stream[], { events, everyMs }: Score): Promise<void> {
  const startAtMs = clock.nowMs()
  for (let index = 1; index <= events; index++) {
    await clock.sleepUntilMs(startAtMs + index * everyMs)
    for (const { socket, readAtMs } of streams) {
      socket.write(chunk(`data: ${event(`${stamp(readAtMs)}:${stamp(clock.nowMs())};`)}\n\n`))
    }
  }
  for (const { socket } of streams) socket.write(`${chunk(`data: ${finish}\n\ndata: [DONE]\n\n`)}0\r\n\r\n`)
}

function stamp(atMs: number): string {
  return atMs.toFixed(4)
}

function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`
}

// The fields that real servers send, so that an event costs what a real one costs to parse.
function event(content: string): string {
  return `{"id":"chatcmpl-metronome","object":"chat.completion.chunk","created":1,"model":"metronome","choices":[{"index":0,"delta":{"content":"${content}"},"logprobs":null,"finish_reason":null}]}`
}

const finish =
  '{"id":"chatcmpl-metronome","object":"chat.completion.chunk","created":1,"model":"metronome","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}'
