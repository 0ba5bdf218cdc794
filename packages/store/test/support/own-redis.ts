/** A Redis of one's own for a test file: a Unix socket in a temporary folder, nothing kept on disk. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'

const hasRedis = spawnSync('redis-server', ['--version']).status === 0
if (!hasRedis) {
  if (process.env['CI'] === 'true')
    throw new Error('CI needs redis-server: install it, or the Redis tests prove nothing')
  console.warn('redis-server is not installed: the tests on Redis are skipped')
}
/** False: skip what needs Redis. In CI its absence is an error. */
export const redisIsInstalled = hasRedis

export async function ownRedis() {
  const folder = mkdtempSync(join(tmpdir(), 'loadcurve-redis-'))
  const url = join(folder, 'redis.sock')
  let server = await startRedis(folder, url)
  const kill = async () => {
    const exited = once(server, 'exit')
    server.kill('SIGKILL')
    await exited
  }
  return {
    url,
    /** Killed and started again with nothing in it. */
    restartEmpty: async () => {
      await kill()
      server = await startRedis(folder, url)
    },
    close: async () => {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function startRedis(folder: string, socket: string): Promise<ChildProcess> {
  const options = ['--port', '0', '--unixsocket', socket, '--save', '', '--appendonly', 'no', '--dir', folder]
  const server = spawn('redis-server', options, { stdio: 'ignore' })
  const client = new Redis(socket, { maxRetriesPerRequest: null, retryStrategy: () => 20 })
  client.on('error', () => {})
  await client.ping()
  client.disconnect()
  return server
}
