import { tickUntil } from '@loadcurve/worker/ticker'
import { expect, test } from 'vitest'

test('ticker: calls never overlap, and none begins after stop has resolved', async () => {
  let [running, overlapped, calls] = [0, false, 0]
  const ticker = tickUntil(async () => {
    overlapped ||= running > 0
    running++
    calls++
    await new Promise((resolve) => setImmediate(resolve))
    running--
  }, 0)
  await expect.poll(() => calls).toBeGreaterThan(3)
  await ticker.stop()
  const atStop = calls
  await new Promise((resolve) => setImmediate(resolve))
  expect({ overlapped, running, calls }).toEqual({ overlapped: false, running: 0, calls: atStop })
})

test('ticker: a call that throws is told, and the next one follows', async () => {
  const errors: unknown[] = []
  let calls = 0
  const ticker = tickUntil(
    async () => {
      calls++
      if (calls === 1) throw new Error('once')
    },
    0,
    (error) => errors.push(error),
  )
  await expect.poll(() => calls).toBeGreaterThan(1)
  await ticker.stop()
  expect(errors).toEqual([new Error('once')])
})

test('ticker: the number that a call returns is the wait before the next one', async () => {
  let calls = 0
  const ticker = tickUntil(async () => {
    calls++
    return 0
  }, 1_000_000)
  await expect.poll(() => calls).toBeGreaterThan(2)
  await ticker.stop()
})
