import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { directRead, serveReads } from '../../src/target/direct-read.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function connected(serve: (socket: Socket) => void, options = directRead()): Promise<Socket> {
  const server = createServer(serve).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  const socket = connect({ port: (server.address() as { port: number }).port, host: '127.0.0.1', ...options })
  await once(socket, 'connect')
  serveReads(socket)
  return socket
}

/** Reads as the HTTP client does: at `readable`, until there is nothing left. */
function collect(socket: Socket): Buffer[] {
  const chunks: Buffer[] = []
  socket.on('readable', () => {
    for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) chunks.push(chunk)
  })
  return chunks
}

const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

test('direct read: five megabytes arrive whole and in order, and then the end', async () => {
  const sent = randomBytes(5_000_000)
  const socket = await connected((peer) => peer.end(sent))
  const chunks = collect(socket)
  await once(socket, 'end')
  expect(digest(Buffer.concat(chunks))).toBe(digest(sent))
})

test('direct read: sockets that share the buffer do not mix what they read', async () => {
  const options = directRead()
  const sent = Array.from({ length: 20 }, () => randomBytes(300_000))
  const read = await Promise.all(
    sent.map(async (bytes) => {
      const socket = await connected((peer) => peer.end(bytes), options)
      const chunks = collect(socket)
      await once(socket, 'end')
      return Buffer.concat(chunks)
    }),
  )
  expect(read.map(digest)).toEqual(sent.map(digest))
})

test('direct read: what was read stays as it was when the buffer is used again', async () => {
  const socket = await connected((peer) => {
    peer.write('first')
    setTimeout(() => peer.end('other'), 20)
  })
  const chunks = collect(socket)
  await once(socket, 'end')
  expect(chunks.map(String).join('')).toBe('firstother')
})

test('direct read: bytes that came before anybody listened wait', async () => {
  const socket = await connected((peer) => peer.write('early'))
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(String(socket.read())).toBe('early')
  expect(socket.read()).toBeNull()
  socket.destroy()
})
