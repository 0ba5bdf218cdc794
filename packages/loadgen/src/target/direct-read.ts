/**
 * Reading a TCP socket without the machinery of streams.
 *
 * A socket of Node hands each read to a readable stream, which allocates 64 KB for it, buffers it, and tells its
 * reader in a later tick that it may come for it. With hundreds of streams that is a tenth of the cost of an event,
 * and the tick makes its stamp late. Node offers another way (`onread`): it reads into one buffer of ours and calls a
 * function at once. The HTTP client, however, wants a stream; so what was read is kept until `read()` asks for it,
 * which the client does as soon as it hears `readable`, within the same call.
 *
 * This is only for a client that never pauses an answer. Then at most one read waits; a paused client would give
 * bytes back to the stream, which is not asked here.
 */

import type { Socket, TcpNetConnectOpts } from 'node:net'

const BUFFER_BYTES = 64 * 1024

/** What was read and not yet asked for, by socket. */
const waiting = new WeakMap<Socket, Buffer[]>()

/** Connect option: one buffer serves all sockets, because what it holds is copied before the next read. */
export function directRead(): Required<Pick<TcpNetConnectOpts, 'onread'>> {
  return { onread: { buffer: Buffer.allocUnsafeSlow(BUFFER_BYTES), callback: keep } }
}

/** Lets a socket, that was connected with `directRead`, give what it read to whoever calls `read()`. */
export function serveReads(socket: Socket): void {
  const streamRead = socket.read.bind(socket)
  const chunks = chunksOf(socket)
  // `read(0)` asks for nothing: it starts reading, and at the end of the stream it lets `end` happen.
  socket.read = (size?: number) => (size === 0 ? streamRead(0) : (chunks.shift() ?? null))
}

/** Node calls it as a method of the socket. */
function keep(this: unknown, bytes: number, buffer: Uint8Array): boolean {
  const socket = this as Socket
  const chunk = Buffer.allocUnsafe(bytes)
  chunk.set(buffer.subarray(0, bytes))
  chunksOf(socket).push(chunk)
  socket.emit('readable')
  return true
}

function chunksOf(socket: Socket): Buffer[] {
  const known = waiting.get(socket)
  if (known !== undefined) return known
  const chunks: Buffer[] = []
  waiting.set(socket, chunks)
  return chunks
}
