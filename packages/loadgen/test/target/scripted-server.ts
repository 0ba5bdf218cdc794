/**
 * A server for tests that answers each connection with the bytes, pauses and endings that a test wrote down: what the
 * wire does is then known exactly, also where no HTTP library would ever do it.
 */

import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'

export type Step =
  | { readonly write: string | Buffer }
  /** Wait for the client's request, or for this long. */
  | { readonly waitMs: number }
  | { readonly end: 'fin' | 'reset' | 'silence' }

export interface ScriptedServer {
  readonly port: number
  readonly baseUrl: string
  /** Requests as they were received, head and body. */
  readonly requests: string[]
  connections: number
  close(): Promise<void>
}

/** Answers the n-th request with `script(n, request)`. Without an `end` step the connection stays open for the next one. */
export async function scriptedServer(
  script: (n: number, request: string) => readonly Step[],
): Promise<ScriptedServer> {
  const sockets = new Set<Socket>()
  const requests: string[] = []
  const server = createServer({ noDelay: true }, (socket) => {
    served.connections++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    let text = ''
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
      const length = requestLength(text)
      if (length === null) return
      const request = text.slice(0, length)
      text = text.slice(length)
      requests.push(request)
      void play(socket, script(requests.length, request))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const served: ScriptedServer = {
    port,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    connections: 0,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  return served
}

/** Length of the first whole request in the text, or null while it is not whole. */
function requestLength(text: string): number | null {
  const head = text.indexOf('\r\n\r\n')
  if (head < 0) return null
  const length = head + 4 + Number(/content-length: *(\d+)/i.exec(text.slice(0, head))?.[1] ?? 0)
  return text.length >= length ? length : null
}

async function play(socket: Socket, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if (socket.destroyed) return
    if ('write' in step) await new Promise((resolve) => socket.write(step.write, resolve))
    else if ('waitMs' in step) await new Promise((resolve) => setTimeout(resolve, step.waitMs))
    else if (step.end === 'fin') socket.end()
    else if (step.end === 'reset') socket.resetAndDestroy()
  }
}

const EVENT_HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n'

/** The head of a chunked event stream. */
export const eventHead: Step = { write: EVENT_HEAD }

/** One transport chunk. */
export function chunk(text: string): Step {
  return { write: `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n` }
}

/** One event with a JSON value, in a chunk of its own. */
export function event(value: unknown): Step {
  return chunk(`data: ${JSON.stringify(value)}\n\n`)
}

export function delta(content: string, finish: string | null = null): object {
  return { choices: [{ index: 0, delta: { content }, finish_reason: finish }] }
}

export const done: Step = chunk('data: [DONE]\n\n')
export const lastChunk: Step = { write: '0\r\n\r\n' }

/** A whole answer with a body of known length. */
export function plain(status: number, contentType: string, body: string, headers = ''): Step[] {
  return [
    {
      write: `HTTP/1.1 ${status} X\r\nContent-Type: ${contentType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`,
    },
  ]
}
