import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startLocalPostgres } from '@loadcurve/store/local-postgres'
import { runningPostgres } from '@loadcurve/store/local-postgres/pid-file'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'

const run = promisify(execFile)
const cleanups: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** A data folder that the account which runs Postgres can reach. */
function dataFolder(mode = 0o711): string {
  const folder = mkdtempSync(join(tmpdir(), 'loadcurve-test-'))
  chmodSync(folder, mode)
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function start(dataDir: string) {
  const postgres = await startLocalPostgres(dataDir)
  cleanups.push(postgres.stop)
  return postgres
}

async function ask(connectionString: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return Object.values((await client.query(sql)).rows[0] ?? {})[0]
  } finally {
    await client.end()
  }
}

test('local postgres: starts once, is adopted by the next, stopped only by its owner, and keeps its data', async () => {
  const dataDir = dataFolder()
  const owner = await start(dataDir)
  expect(owner.adopted).toBe(false)
  await ask(owner.connectionString, 'create table kept (n int)')

  const guest = await start(dataDir)
  expect(guest.adopted).toBe(true)
  await guest.stop()
  expect(await ask(owner.connectionString, 'insert into kept values (42) returning n')).toBe(42)

  await owner.stop()
  await expect(ask(owner.connectionString, 'select 1')).rejects.toThrow()
  const again = await start(dataDir)
  expect(await ask(again.connectionString, 'select n from kept')).toBe(42)
})

test('local postgres: listens on no port, and its socket lies in a closed folder', async () => {
  const { connectionString } = await start(dataFolder())
  expect(await ask(connectionString, 'show listen_addresses')).toBe('')
  const socketDir = String(await ask(connectionString, 'show unix_socket_directories'))
  expect(statSync(socketDir).mode & 0o077).toBe(0)
})

test('local postgres: two starters at one instant share one server', async () => {
  const dataDir = dataFolder()
  const both = await Promise.all([start(dataDir), start(dataDir)])
  expect(both.map(({ adopted }) => adopted).sort()).toEqual([false, true])
  const started = await Promise.all(
    both.map(({ connectionString }) => ask(connectionString, 'select pg_postmaster_start_time()::text')),
  )
  expect(started[0]).toBe(started[1])
})

test('local postgres: a stale pid file, even one whose number now belongs to another process, stops no start', async () => {
  const dataDir = dataFolder()
  const first = await start(dataDir)
  const cluster = String(await ask(first.connectionString, 'show data_directory'))
  await first.stop()
  // This very process is alive and is no Postgres.
  writeFileSync(join(cluster, 'postmaster.pid'), `${process.pid}\n${cluster}\n1\n5432\n/nowhere\n\n`)
  chmodSync(join(cluster, 'postmaster.pid'), 0o644)
  const second = await start(dataDir)
  expect(second.adopted).toBe(false)
  expect(await ask(second.connectionString, 'select 1')).toBe(1)
})

test('local postgres: starts again after kill -9 of the server', async () => {
  const dataDir = dataFolder()
  const first = await start(dataDir)
  const cluster = String(await ask(first.connectionString, 'show data_directory'))
  const server = runningPostgres(cluster)
  process.kill(server?.pid ?? Number.NaN, 'SIGKILL')
  const second = await start(dataDir)
  expect(await ask(second.connectionString, 'select 1')).toBe(1)
})

test('local postgres: stops when the process that started it is killed', async () => {
  const dataDir = dataFolder()
  const { pid, cluster } = await startAndDie(dataDir, {})
  await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false)
  expect(existsSync(join(cluster, 'postmaster.pid'))).toBe(false)
})

const isRoot = process.getuid?.() === 0

test.runIf(isRoot)(
  'local postgres: as root in a closed folder it runs as nobody, from the system folder',
  async () => {
    const closed = dataFolder(0o700)
    const { connectionString } = await start(closed)
    const cluster = String(await ask(connectionString, 'show data_directory'))
    cleanups.push(() => rmSync(dirname(cluster), { recursive: true, force: true }))
    expect(cluster.startsWith('/var/lib/loadcurve/clusters/')).toBe(true)
    expect(statSync(cluster).uid).not.toBe(0)
    expect(statSync('/var/lib/loadcurve/binaries').uid).toBe(0)
  },
)

const ordinary = { uid: 1, gid: 1 }
// A clone in root's closed home folder is out of reach for anybody else, and so is what it built.
const isOpen =
  isRoot &&
  spawnSync(
    process.execPath,
    ['-e', 'fs.accessSync(process.argv[1])', fileURLToPath(import.meta.url)],
    ordinary,
  ).status === 0
if (isRoot && !isOpen)
  console.warn('this folder is closed to ordinary users: the test as one of them is skipped')

test.runIf(isOpen)('local postgres: an ordinary user runs it in the own data folder', async () => {
  const account = ordinary
  const dataDir = mkdtempSync(join(tmpdir(), 'loadcurve-test-'))
  cleanups.push(() => rmSync(dataDir, { recursive: true, force: true }))
  const { chownSync } = await import('node:fs')
  chownSync(dataDir, account.uid, account.gid)
  const { pid, cluster } = await startAndDie(dataDir, account)
  expect(cluster.startsWith(dataDir)).toBe(true)
  await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false)
})

/** A process of its own that starts Postgres, says where, and is killed at once. */
async function startAndDie(dataDir: string, account: { uid?: number; gid?: number }) {
  const module = fileURLToPath(new URL('../dist/local-postgres.js', import.meta.url))
  const pidFile = fileURLToPath(new URL('../dist/local-postgres/pid-file.js', import.meta.url))
  const script = `
    const { startLocalPostgres } = await import(${JSON.stringify(module)})
    const { runningPostgres } = await import(${JSON.stringify(pidFile)})
    const { default: pg } = await import('pg')
    const { connectionString } = await startLocalPostgres(${JSON.stringify(dataDir)})
    const client = new pg.Client({ connectionString })
    await client.connect()
    const cluster = (await client.query('show data_directory')).rows[0].data_directory
    console.log(JSON.stringify({ cluster, pid: runningPostgres(cluster).pid }))
    process.kill(process.pid, 'SIGKILL')`
  const cwd = fileURLToPath(new URL('..', import.meta.url))
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], {
    ...account,
    cwd,
  }).catch((error: { stdout: string; stderr: string }) => {
    if (error.stdout === '') throw new Error(error.stderr)
    return error
  })
  return JSON.parse(stdout) as { pid: number; cluster: string }
}

function isAlive(pid: number): boolean {
  try {
    // A zombie still answers to signal 0 when nobody reaps it: its state tells.
    process.kill(pid, 0)
    return !existsSync(`/proc/${pid}/stat`) || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
