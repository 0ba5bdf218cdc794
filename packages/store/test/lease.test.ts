import { once } from 'node:events'
import { appendEvent } from '@loadcurve/store/events'
import { acquireLease, isLeaseHeld, type Lease } from '@loadcurve/store/lease'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dropConnections, freshDatabase } from './support/fresh-database.ts'
import { newRun } from './support/plan.ts'

let store: Awaited<ReturnType<typeof freshDatabase>>
beforeAll(async () => {
  store = await freshDatabase()
})
afterAll(() => store.close())

const take = (name: string) => acquireLease(store.connectionString, name)

test('lease: of many who ask at once exactly one gets it, and the next one after it is given back', async () => {
  const answers = await Promise.all(Array.from({ length: 6 }, () => take('a')))
  const holders = answers.filter((lease) => lease !== null)
  expect(holders).toHaveLength(1)
  expect(await isLeaseHeld(store.db, 'a')).toBe(true)
  expect(await isLeaseHeld(store.db, 'another')).toBe(false)
  await holders[0]?.release()
  await expect.poll(() => isLeaseHeld(store.db, 'a')).toBe(false)
  const next = await take('a')
  expect(next).not.toBeNull()
  await next?.release()
})

test('lease: who loses the connection is told, and cannot write any more', async () => {
  const run = await newRun(store.db)
  const lease = (await take('b')) as Lease
  expect(await appendEvent(lease.db, run.id, 'step-progress', {})).toBe(2)
  const lost = once(lease.lost, 'abort')
  await dropConnections(store.connectionString)
  await lost
  await expect(appendEvent(lease.db, run.id, 'step-progress', {})).rejects.toThrow()
  const successor = await take('b')
  expect(successor).not.toBeNull()
  await successor?.release()
})

test('lease: transactions of its holder exclude one another and its heartbeat', async () => {
  const run = await newRun(store.db)
  const lease = (await take('c')) as Lease
  await Promise.all(
    Array.from({ length: 10 }, () =>
      lease.db.transaction().execute(async (transaction) => {
        await appendEvent(transaction, run.id, 'step-progress', {})
        await appendEvent(transaction, run.id, 'step-progress', {})
      }),
    ),
  )
  const failing = lease.db.transaction().execute(async (transaction) => {
    await appendEvent(transaction, run.id, 'step-progress', {})
    throw new Error('undone')
  })
  await expect(failing).rejects.toThrow('undone')
  expect(await appendEvent(lease.db, run.id, 'step-progress', {})).toBe(22)
  await lease.release()
})
