import { closedTraffic, drawRequests, openTraffic } from '@loadcurve/core/capacity/simulate/traffic'
import { seededRandom } from '@loadcurve/core/random'
import { expect, test } from 'vitest'
import { FIXED } from '../law-fixture.ts'

const shape = { inputTokens: FIXED(100), outputTokens: FIXED(50), workSigma: 0.3 }

test('traffic: spread of the prefill work has mean 1 and the sigma asked for', () => {
  const n = 40_000
  const { workFactor } = drawRequests(shape, n, seededRandom(1))
  const mean = workFactor.reduce((sum, factor) => sum + factor, 0) / n
  expect(Math.abs(mean - 1)).toBeLessThan((4 * 0.31) / Math.sqrt(n))
  const logs = workFactor.map(Math.log)
  const centre = logs.reduce((sum, log) => sum + log, 0) / n
  const sigma = Math.sqrt(logs.reduce((sum, log) => sum + (log - centre) ** 2, 0) / n)
  expect(Math.abs(sigma - 0.3)).toBeLessThan((4 * 0.3) / Math.sqrt(2 * n))
})

test('traffic: open loop replays one schedule at any rate', () => {
  const draws = drawRequests(shape, 3, seededRandom(1))
  const traffic = openTraffic(draws, Float64Array.of(0, 500, 4000), 2)
  const seen = [0, 0, 0].map(() => {
    const atMs = traffic.nextArrivalMs()
    traffic.takeArrival()
    return atMs
  })
  expect(seen).toEqual([0, 250, 2000])
  expect(traffic.nextArrivalMs()).toBe(Infinity)
  expect(() => openTraffic(draws, Float64Array.of(0), 0)).toThrow('ratePerS must be positive, got 0')
})

test('traffic: closed loop sends the next request when one has ended, in order of time', () => {
  const draws = drawRequests(shape, 5, seededRandom(1))
  const thinkMs = (request: number) => [100, 10, 0, 0, 0][request] ?? 0
  const traffic = closedTraffic(draws, { users: 2, staggerMs: 50, thinkMs })
  expect(traffic.nextArrivalMs()).toBe(0)
  expect([traffic.takeArrival(), traffic.takeArrival()]).toEqual([0, 1])
  expect(traffic.nextArrivalMs()).toBe(Infinity)
  traffic.ended(0, 1000)
  traffic.ended(1, 1040)
  // The second client thinks for 10 ms only and overtakes.
  expect(traffic.nextArrivalMs()).toBe(1050)
  traffic.takeArrival()
  expect(traffic.nextArrivalMs()).toBe(1100)
})
