import { simulateEngine } from '@loadcurve/core/capacity/simulate/engine'
import { closedTraffic, openTraffic, type RequestDraws } from '@loadcurve/core/capacity/simulate/traffic'
import { poissonArrivals } from '@loadcurve/core/load/arrivals'
import { seededRandom } from '@loadcurve/core/random'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { engineOf, linearLaw } from '../law-fixture.ts'
import { naiveEngine } from './naive-engine.ts'

function fixedDraws(requests: number, tokens: { input: number; output: number }): RequestDraws {
  return {
    inputTokens: new Float64Array(requests).fill(tokens.input),
    outputTokens: new Float64Array(requests).fill(tokens.output),
    workFactor: new Float64Array(requests).fill(1),
  }
}

function poissonOffsets(requests: number, seed: number): Float64Array {
  const source = poissonArrivals(1, seededRandom(seed))
  return Float64Array.from({ length: requests }, () => source.next().value)
}

describe('engine simulation', () => {
  test('skipping is exact: every instant is that of an engine that takes each step singly', () => {
    const request = fc.record({
      gapMs: fc.integer({ min: 0, max: 400 }),
      inputTokens: fc.integer({ min: 1, max: 900 }),
      outputTokens: fc.integer({ min: 1, max: 40 }),
    })
    const requests = fc.array(request, { minLength: 1, maxLength: 25 })
    fc.assert(
      fc.property(
        requests,
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 50, max: 1000 }),
        (drawn, slots, stepTokens) => {
          const engine = engineOf({ slots, stepTokens })
          let atMs = 0
          const queue = drawn.map(({ gapMs, ...tokens }) => {
            // Off the grid of step ends: a tie would be decided by rounding.
            atMs += gapMs + 0.123
            return { atMs, ...tokens }
          })
          const draws = {
            inputTokens: Float64Array.from(queue, (each) => each.inputTokens),
            outputTokens: Float64Array.from(queue, (each) => each.outputTokens),
            workFactor: new Float64Array(queue.length).fill(1),
          }
          const log = simulateEngine(
            engine,
            openTraffic(
              draws,
              Float64Array.from(queue, (each) => each.atMs),
              1,
            ),
          )
          const naive = naiveEngine(engine, queue)
          for (const index of queue.keys()) {
            expect(log.requests.firstAtMs[index]).toBeCloseTo(naive.firstAtMs[index] ?? Number.NaN, 6)
            expect(log.requests.endedAtMs[index]).toBeCloseTo(naive.endedAtMs[index] ?? Number.NaN, 6)
          }
          expect(log.complete).toBe(true)
        },
      ),
      { numRuns: 200 },
    )
  })

  test('one place, prompts only: the mean wait is that of M/D/1', () => {
    const requests = 60_000
    const engine = engineOf({ slots: 1, stepTokens: 1000 })
    const ratePerS = 10
    const log = simulateEngine(
      engine,
      openTraffic(fixedDraws(requests, { input: 1000, output: 1 }), poissonOffsets(requests, 3), ratePerS),
    )
    const serviceMs = 60
    const busy = (ratePerS * serviceMs) / 1000
    let sum = 0
    for (let index = 0; index < requests; index++) {
      sum += (log.requests.firstAtMs[index] ?? 0) - (log.requests.arrivedAtMs[index] ?? 0) - serviceMs
    }
    const expected = (busy * serviceMs) / (2 * (1 - busy))
    // Relaxation time of the queue is about (1 + rho) / (1 - rho)^2 services: 10, so 6,000 independent waits of sd ~ 1.3 means.
    expect(Math.abs(sum / requests / expected - 1)).toBeLessThan((4 * 1.3) / Math.sqrt(6000))
  })

  test.each([1, 4, 16, 32])(
    'closed loop of %i: throughput and decode batch are those of the closed form',
    (clients) => {
      const random = seededRandom(5)
      const draws = fixedDraws(clients * 60, { input: 1000, output: 201 })
      for (let index = 0; index < draws.outputTokens.length; index++) {
        draws.outputTokens[index] = Math.round(181 + 40 * random())
      }
      const engine = engineOf()
      const log = simulateEngine(
        engine,
        closedTraffic(draws, { users: clients, staggerMs: 3000, thinkMs: () => 0 }),
      )
      const batch = log.decodeBatchMs / log.elapsedMs
      const throughputPerS = (draws.outputTokens.length * 1000) / log.elapsedMs
      // X = b / ((O - 1) itl(b)), with N = 1 the one who meets no prefill but its own.
      const perSequenceMs = clients === 1 ? 0.25 : 0.5
      const closedFormPerS = (1000 * batch) / (200 * (10 + perSequenceMs * batch))
      expect(Math.abs(throughputPerS / closedFormPerS - 1)).toBeLessThan(0.03)
      expect(batch).toBeLessThanOrEqual(clients)
    },
  )

  test('a full KV cache preempts the last admitted, and every request still gets all its tokens', () => {
    const draws = fixedDraws(40, { input: 100, output: 200 })
    const roomy = simulateEngine(engineOf(), openTraffic(draws, poissonOffsets(40, 6), 50))
    const tight = simulateEngine(engineOf({ kvTokens: 1000 }), openTraffic(draws, poissonOffsets(40, 6), 50))
    expect(roomy.preemptions).toBe(0)
    expect(tight.preemptions).toBeGreaterThan(0)
    expect(tight.complete).toBe(true)
    expect(Math.max(...tight.requests.endedAtMs)).toBeGreaterThan(Math.max(...roomy.requests.endedAtMs))
    expect(tight.requests.endedAtMs.every((atMs) => atMs > 0)).toBe(true)
    // 1,000 places hold at most nine prompts with a token each.
    expect(tight.decodeBatchMs / tight.elapsedMs).toBeLessThan(9)
  })

  test('gaps: as many as tokens after the first', () => {
    const draws = fixedDraws(50, { input: 100, output: 30 })
    const { gaps } = simulateEngine(engineOf(), openTraffic(draws, poissonOffsets(50, 7), 20))
    expect(gaps.gaps.reduce((sum, count) => sum + count, 0)).toBe(50 * 29)
  })

  test('the bound of events ends an endless simulation and says so', () => {
    const draws = fixedDraws(100, { input: 100, output: 30 })
    const log = simulateEngine(engineOf({}, linearLaw()), openTraffic(draws, poissonOffsets(100, 8), 20), 50)
    expect(log.complete).toBe(false)
    expect(log.requests.endedAtMs.some(Number.isNaN)).toBe(true)
  })
})
