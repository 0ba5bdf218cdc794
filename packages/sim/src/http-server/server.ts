/** Opens the simulated server's sockets. Everything it decides stands in `routes.ts` and behind it. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net'
import { monotonicMs } from '../engine/monotonic-clock.ts'
import { badRequest, sendError } from './api-error.ts'
import { type ResolvedOptions, resolveOptions, type SimulatorOptions } from './options.ts'
import { resetSocket } from './reset-socket.ts'
import { visitRoute } from './routes.ts'
import { Simulation } from './simulation.ts'

export interface RunningSimulator {
  /** `http://127.0.0.1:PORT`, without /v1. */
  readonly url: string
  readonly port: number
  /** The port that resets every connection; null when none was asked for. */
  readonly refusePort: number | null
  readonly options: ResolvedOptions
  readonly simulation: Simulation
  /** Cuts every connection and frees the ports. */
  close(): Promise<void>
}

const BODY_BYTES_MAX = 64 * 1024 * 1024
/** A thousand clients may connect in one instant. */
const BACKLOG = 4096
/** Longer than any client keeps an idle connection, so that the client is the one to close. */
const KEEP_ALIVE_MS = 75_000

/** @throws SimulatorOptionsError carrying every violation; or Node's error when a port cannot be had */
export async function startSimulator(options: SimulatorOptions = {}): Promise<RunningSimulator> {
  const resolved = resolveOptions(options)
  const simulation = new Simulation(resolved)
  const server = createServer((message, response) => {
    receive(simulation, message, response).catch((error: unknown) => fail(response, error))
  })
  server.keepAliveTimeout = KEEP_ALIVE_MS
  server.requestTimeout = 0
  const port = await listen(server, resolved.host, resolved.port)
  const refusing = resolved.refusePort === null ? null : createTcpServer(resetSocket)
  const refusePort =
    refusing === null ? null : await listen(refusing, resolved.host, resolved.refusePort ?? 0)
  const host = resolved.host.includes(':') ? `[${resolved.host}]` : resolved.host
  return {
    url: `http://${host}:${port}`,
    port,
    refusePort,
    options: resolved,
    simulation,
    close: async () => {
      simulation.close()
      server.closeAllConnections()
      await Promise.all([closed(server), refusing === null ? null : closed(refusing)])
    },
  }
}

async function receive(
  simulation: Simulation,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const arrivedAtMs = monotonicMs()
  // Errors of a connection that goes away are told by its `close`.
  response.on('error', () => {})
  const body = await readBody(message)
  if (body === null) {
    sendError(response, {
      status: 413,
      type: 'BadRequestError',
      message: 'The body is too large.',
      param: null,
    })
    return
  }
  if (response.destroyed) return
  const target = message.url ?? '/'
  if (!URL.canParse(target, 'http://sim')) {
    sendError(response, badRequest('The request target is no URL.'))
    return
  }
  const url = new URL(target, 'http://sim')
  visitRoute(simulation, { message, response, url, arrivedAtMs, body })
}

/** A mistake of ours must not end the server that others are using. */
function fail(response: ServerResponse, error: unknown): void {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  const message = 'The simulator failed; its standard error says how.'
  if (response.headersSent) response.destroy()
  else sendError(response, { status: 500, type: 'InternalServerError', message, param: null })
}

/** Null when it is too large; an aborted one reads as empty, and its response is destroyed. */
async function readBody(message: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > BODY_BYTES_MAX) return null
      chunks.push(chunk)
    }
  } catch {
    return ''
  }
  return Buffer.concat(chunks).toString('utf8')
}

function listen(server: Server | TcpServer, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

function closed(server: Server | TcpServer): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}
