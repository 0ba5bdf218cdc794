/** Takes down what a simulated server writes on a raw socket, byte for byte. */
import { connect, type Socket } from 'node:net'
import type { RunningSimulator } from '../../src/http-server/server.ts'

export interface Capture {
  /** Everything received, one character per byte, with the parts that change from run to run replaced. */
  readonly bytes: string
  /**
   * How it ended: `kept` (a second request on the same connection was answered), `fin`, `reset`, or `silence` (nothing
   * more came while a later request was answered in full).
   */
  readonly ending: 'kept' | 'fin' | 'reset' | 'silence'
}

export interface Asked {
  readonly fault: string
  readonly body: object
}

/** Sends one chat request with a fault and waits for its end. */
export async function capture(sim: RunningSimulator, { fault, body }: Asked): Promise<Capture> {
  const socket = connect({ host: '127.0.0.1', port: sim.port })
  const reader = new SocketReader(socket)
  socket.write(requestText('POST', '/v1/chat/completions', JSON.stringify(body), fault))
  const stalls = fault.startsWith('stall')
  const first = stalls ? await untilStalled(sim, fault) : await reader.untilAnswered()
  const bytes = reader.text
  if (first !== 'answered') {
    socket.destroy()
    return { bytes: normalised(bytes), ending: first }
  }
  socket.write(requestText('GET', '/version', '', ''))
  const second = await reader.untilAnswered()
  socket.destroy()
  return { bytes: normalised(bytes), ending: second === 'answered' ? 'kept' : second }
}

/** Waits until the server has taken the request as far as it will, and then until another one has been answered. */
async function untilStalled(sim: RunningSimulator, fault: string): Promise<'silence'> {
  const before = fault.startsWith('stall-before-head')
  for (;;) {
    const { requests } = await (await fetch(`${sim.url}/sim/requests`)).json()
    const last = requests.at(-1)
    if (last?.fault !== null && fault.startsWith(last?.fault) && (before || last.outcome === 'fault')) break
  }
  const messages = [{ role: 'user', content: 'meanwhile' }]
  const body = JSON.stringify({ messages, max_tokens: 8, ignore_eos: true })
  const answer = await fetch(`${sim.url}/v1/chat/completions`, { method: 'POST', body })
  await answer.text()
  return 'silence'
}

class SocketReader {
  text = ''
  #from = 0
  #ended: 'fin' | 'reset' | null = null
  #wake: () => void = () => {}

  constructor(socket: Socket) {
    socket.on('data', (bytes) => {
      this.text += bytes.toString('latin1')
      this.#wake()
    })
    socket.on('end', () => this.#end('fin'))
    socket.on('error', () => this.#end('reset'))
  }

  /** Waits for one whole HTTP answer, or for the end of the connection. */
  async untilAnswered(): Promise<'answered' | 'fin' | 'reset'> {
    for (;;) {
      const answer = this.text.slice(this.#from)
      if (isWhole(answer)) {
        this.#from = this.text.length
        return 'answered'
      }
      if (this.#ended !== null) return this.#ended
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  #end(how: 'fin' | 'reset'): void {
    this.#ended ??= how
    this.#wake()
  }
}

function isWhole(answer: string): boolean {
  const headEnds = answer.indexOf('\r\n\r\n')
  if (headEnds < 0) return false
  const head = answer.slice(0, headEnds).toLowerCase()
  const body = answer.slice(headEnds + 4)
  const length = /content-length: (\d+)/.exec(head)?.[1]
  return length === undefined
    ? body.endsWith('\r\n0\r\n\r\n') || body === '0\r\n\r\n'
    : body.length >= Number(length)
}

function requestText(method: string, path: string, body: string, fault: string): string {
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: sim',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(fault === '' ? [] : [`X-Sim-Fault: ${fault}`]),
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

/** The Date header differs from run to run; 5 MB of x would fill the repository. */
function normalised(text: string): string {
  return text
    .replaceAll(/Date: [^\r]*/g, 'Date: Thu, 01 Jan 1970 00:00:00 GMT')
    .replaceAll(/x{1000,}/g, (run) => `<${run.length} times x>`)
}
