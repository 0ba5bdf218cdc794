import { connect, type Socket } from 'node:net'

/** Many streams over bare sockets: the cheapest client there is, so that the server is what gets measured. */
export class SocketStreams {
  readonly #sockets: Socket[]
  #bytes = 0

  /** Opens `count` connections and asks each for a streamed answer of `tokens` tokens. */
  constructor(server: { port: number }, { count, tokens }: { count: number; tokens: number }) {
    const messages = [{ role: 'user', content: 'Go on.' }]
    const body = JSON.stringify({ messages, max_tokens: tokens, ignore_eos: true, stream: true })
    const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: sim\r\nContent-Length: ${body.length}\r\n\r\n`
    this.#sockets = Array.from({ length: count }, () => {
      const socket = connect({ host: '127.0.0.1', port: server.port })
      socket.on('data', (bytes) => {
        this.#bytes += bytes.length
      })
      // A server that is stopped under load resets; the reader has nothing to add to that.
      socket.on('error', () => {})
      socket.write(head + body)
      return socket
    })
  }

  get bytes(): number {
    return this.#bytes
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}
