import type { Socket } from 'node:net'

/**
 * Breaks a connection with a TCP reset and nothing before it. `resetAndDestroy` alone first ends the writing side, so the
 * peer would see an orderly FIN, and then perhaps a reset.
 */
export function resetSocket(socket: Socket | null): void {
  if (socket === null || socket.destroyed) return
  socket.destroySoon = () => socket.destroy()
  socket.resetAndDestroy()
}
