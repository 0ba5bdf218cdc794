import { openQueues, type Queues } from '@loadcurve/store/queue'
import type { ShardKey } from '@loadcurve/store/shards'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { dropConnections, freshDatabase } from './support/fresh-database.ts'
import { ownRedis, redisIsInstalled } from './support/own-redis.ts'

/** One suite for both homes of the queues. */
interface Home {
  readonly open: () => Queues
  /** Takes away what the queues stand on, and gives it back: emptied where it can be. */
  readonly shake: () => Promise<void>
  readonly close: () => Promise<void>
}

const homes: Record<string, () => Promise<Home>> = {
  postgres: async () => {
    const { connectionString: databaseUrl, close } = await freshDatabase()
    return {
      open: () => openQueues({ databaseUrl, redisUrl: null, onError: () => {} }),
      shake: () => dropConnections(databaseUrl),
      close,
    }
  },
  redis: async () => {
    const redis = await ownRedis()
    return {
      open: () => openQueues({ databaseUrl: 'unused', redisUrl: redis.url, onError: () => {} }),
      shake: redis.restartEmpty,
      close: redis.close,
    }
  },
}

const shard = (n: number): ShardKey => ({ runId: 'r', step: 1, attempt: 1, shard: n })

describe.each(Object.keys(homes))('queues on %s', (name) => {
  const runs = test.runIf(name !== 'redis' || redisIsInstalled)
  let home: Home
  let open: Queues[] = []
  beforeEach(async () => {
    home = await (homes[name] as () => Promise<Home>)()
  })
  afterEach(async () => {
    for (const queues of open) await queues.close()
    open = []
    await home.close()
  })
  const connect = () => {
    const queues = home.open()
    open.push(queues)
    return queues
  }

  runs('a shard goes to exactly one of two workers, and each gets some', async () => {
    const got: { worker: number; shard: number }[] = []
    const release: (() => void)[] = []
    const workers = [0, 1].map((worker) =>
      connect().onShard(async (key) => {
        got.push({ worker, shard: key.shard })
        await new Promise<void>((resolve) => release.push(resolve))
      }, 2),
    )
    const queues = connect()
    for (let n = 0; n < 4; n++) await queues.assignShard(shard(n))
    await expect.poll(() => got.length, { timeout: 15_000 }).toBe(4)
    expect(got.map((entry) => entry.shard).sort()).toEqual([0, 1, 2, 3])
    expect(got.filter(({ worker }) => worker === 0)).toHaveLength(2)
    for (const resolve of release) resolve()
    for (const worker of workers) await worker.close()
  })

  runs('a nudge is never kept back by the one that conducts', async () => {
    const looked: string[] = []
    const worker = connect().onNudge(async (runId) => {
      looked.push(runId)
      if (runId === 'long') await new Promise<void>((resolve) => release.push(resolve))
    })
    const release: (() => void)[] = []
    const queues = connect()
    await queues.nudge('long')
    await expect.poll(() => looked, { timeout: 15_000 }).toEqual(['long'])
    await queues.nudge('short')
    await expect.poll(() => looked, { timeout: 15_000 }).toEqual(['long', 'short'])
    for (const resolve of release) resolve()
    await worker.close()
  })

  runs('work goes on after the queue’s server was taken away', async () => {
    const looked: string[] = []
    const worker = connect().onNudge(async (runId) => void looked.push(runId))
    const queues = connect()
    await queues.nudge('before')
    await expect.poll(() => looked, { timeout: 15_000 }).toContain('before')
    await home.shake()
    // Nudges may be refused or lost meanwhile: the reconciler repeats them, and so does this loop.
    await expect
      .poll(
        async () => {
          await queues.nudge('after').catch(() => {})
          return looked
        },
        { timeout: 20_000, interval: 200 },
      )
      .toContain('after')
    await worker.close()
  })

  runs('a failing job is not tried again', async () => {
    let calls = 0
    const worker = connect().onShard(async () => {
      calls++
      throw new Error('the load process died')
    }, 1)
    const queues = connect()
    await queues.assignShard(shard(0))
    await queues.assignShard(shard(1))
    await expect.poll(() => calls, { timeout: 15_000 }).toBe(2)
    await worker.close()
    expect(calls).toBe(2)
  })
})
