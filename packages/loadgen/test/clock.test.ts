import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { MonotonicClock, ShiftedClock } from '../src/clock.ts'
import { VirtualClock } from '../src/virtual-clock.ts'

test('monotonic clock: is the clock that another process of this machine reads', () => {
  const clock = new MonotonicClock()
  const beforeMs = clock.nowMs()
  const other = spawnSync(process.execPath, ['-p', 'Number(process.hrtime.bigint()) / 1e6'], {
    encoding: 'utf8',
  })
  const afterMs = clock.nowMs()
  expect(Number(other.stdout)).toBeGreaterThan(beforeMs)
  expect(Number(other.stdout)).toBeLessThan(afterMs)
})

test('monotonic clock: a sleep never ends early, and sockets are polled while it spins', async () => {
  const clock = new MonotonicClock()
  let turns = 0
  let isCounting = true
  const count = (): void => {
    turns++
    if (isCounting) setImmediate(count)
  }
  for (let trial = 0; trial < 20; trial++) {
    const atMs = clock.nowMs() + 0.9
    const turnsBefore = turns
    if (trial === 0) count()
    await clock.sleepUntilMs(atMs)
    expect(clock.nowMs()).toBeGreaterThanOrEqual(atMs)
    expect(turns).toBeGreaterThan(turnsBefore)
  }
  isCounting = false
})

test('monotonic clock: an aborted sleep ends at once, an instant that has passed does not wait', async () => {
  const clock = new MonotonicClock()
  const abort = new AbortController()
  const sleeping = clock.sleepUntilMs(clock.nowMs() + 3_600_000, abort.signal)
  abort.abort()
  await sleeping
  await clock.sleepUntilMs(clock.nowMs() + 3_600_000, abort.signal)
  await clock.sleepUntilMs(clock.nowMs() - 1)
})

test('shifted clock: counts from its zero and sleeps to instants counted from it', async () => {
  const base = new VirtualClock(1_000)
  const clock = new ShiftedClock(base, 1_500)
  expect(clock.nowMs()).toBe(-500)
  await base.run(clock.sleepUntilMs(250))
  expect(base.nowMs()).toBe(1_750)
})

test('virtual clock: sleepers wake in the order of their instants, equal ones in the order they lay down', async () => {
  const clock = new VirtualClock()
  const woken: string[] = []
  const sleep = async (name: string, atMs: number): Promise<void> => {
    await clock.sleepUntilMs(atMs)
    woken.push(`${name}@${clock.nowMs()}`)
  }
  await clock.run(
    Promise.all([sleep('c', 30), sleep('a', 10), sleep('b', 20), sleep('a2', 10), sleep('d', 40)]),
  )
  expect(woken).toEqual(['a@10', 'a2@10', 'b@20', 'c@30', 'd@40'])
})

test('virtual clock: a thousand sleepers in shuffled order wake sorted', async () => {
  const clock = new VirtualClock()
  const woken: number[] = []
  // 7919 is prime to 1000: every residue once.
  const instants = Array.from({ length: 1000 }, (_, index) => (index * 7919) % 1000)
  await clock.run(
    Promise.all(instants.map((atMs) => clock.sleepUntilMs(atMs).then(() => void woken.push(atMs)))),
  )
  // Instant 0 has passed already, so it does not sleep; the order of the rest is that of time.
  expect(woken).toEqual(Array.from({ length: 1000 }, (_, index) => index))
})

test('virtual clock: waiting for what no instant brings is an error, not a hang', async () => {
  const clock = new VirtualClock()
  await expect(clock.run(new Promise(() => {}))).rejects.toThrow('virtual time stands still')
})
