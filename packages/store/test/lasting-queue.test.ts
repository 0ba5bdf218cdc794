import { setTimeout as delay } from 'node:timers/promises'
import { openQueues, type Queues } from '@loadcurve/store/queue'
import type { ShardKey } from '@loadcurve/store/shards'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freshDatabase } from './support/fresh-database.ts'

let store: Awaited<ReturnType<typeof freshDatabase>>
let queues: Queues
let failures: Error[]
let laterUrl: string
beforeEach(async () => {
  store = await freshDatabase()
  failures = []
  laterUrl = store.connectionString.replace('/loadcurve?', '/later?')
  queues = openQueues({ databaseUrl: laterUrl, redisUrl: null, onError: (error) => failures.push(error) })
})
afterEach(async () => {
  await queues.close()
  await store.close()
})

const shard = (n: number): ShardKey => ({ runId: 'r', step: 1, attempt: 1, shard: n })

/** Assigns a shard as soon as the queue takes it. */
async function assigned(n: number): Promise<void> {
  const isTaken = () =>
    queues.assignShard(shard(n)).then(
      () => true,
      () => false,
    )
  await expect.poll(isTaken, { timeout: 15_000, interval: 500 }).toBe(true)
}

async function createLater(): Promise<void> {
  const client = new pg.Client({ connectionString: store.connectionString })
  await client.connect()
  await client.query('create database later')
  await client.end()
}

/** Ticks of a timer of 10 ms in a second and a half: none when nothing but promises is served. */
async function ticksOf(): Promise<number> {
  let ticks = 0
  const timer = setInterval(() => ticks++, 10)
  await delay(1500)
  clearInterval(timer)
  return ticks
}

test('queue: what could not connect at first is made anew, and the process stays awake meanwhile', async () => {
  const got: number[] = []
  const worker = queues.onShard(async (key) => void got.push(key.shard), 1)
  await expect(queues.assignShard(shard(1))).rejects.toThrow(/does not exist/)
  expect(await ticksOf()).toBeGreaterThan(75)
  expect(failures.length).toBeLessThan(20)
  await createLater()
  await assigned(2)
  await expect.poll(() => got, { timeout: 15_000 }).toContain(2)
  await worker.close()
}, 60_000)

test('queue: a worker whose every look fails does not spin', async () => {
  await createLater()
  const got: number[] = []
  const worker = queues.onShard(async (key) => void got.push(key.shard), 1)
  await assigned(1)
  await expect.poll(() => got, { timeout: 15_000 }).toEqual([1])
  const client = new pg.Client({ connectionString: store.connectionString })
  await client.connect()
  await client.query('alter database later with allow_connections false')
  await dropConnectionsOf('later')
  failures.length = 0
  const cpu = process.cpuUsage()
  expect(await ticksOf()).toBeGreaterThan(75)
  expect(process.cpuUsage(cpu).user / 1e6).toBeLessThan(1)
  expect(failures.length).toBeLessThan(20)
  await client.query('alter database later with allow_connections true')
  await client.end()
  await assigned(2)
  await expect.poll(() => got, { timeout: 15_000 }).toContain(2)
  await worker.close()
}, 60_000)

async function dropConnectionsOf(database: string): Promise<void> {
  const client = new pg.Client({ connectionString: store.connectionString })
  await client.connect()
  await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database])
  await client.end()
}
