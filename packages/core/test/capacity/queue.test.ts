import { birthDeathState, erlangC } from '@loadcurve/core/capacity/queue'
import { describe, expect, test } from 'vitest'

// llm-inferno/queue-analysis (Apache-2.0), its published /solve example: 3 requests/s, 48 places, 128 waiting, 128
// tokens in, 512 out, and a step of alpha + n (beta (I + O)/(O + 1) + gamma (I + O/2)) ms.
const [alpha, beta, gamma, input, output] = [12, 0.05, 0.0005, 128, 512]
const perToken = beta + gamma * (input + output / 2)
const stepMs = (n: number) =>
  alpha + n * ((beta * (input + output)) / (output + 1) + gamma * (input + output / 2))
const prefillMs = (n: number) => stepMs(n) + (beta + gamma) * input
const serviceMs = (n: number) => prefillMs(n) + output * (stepMs(n) + perToken)
const published = {
  ratePerS: 3,
  servers: 48,
  queueMax: 128,
  endRatePerS: (n: number) => (1000 * n) / serviceMs(n),
}

function expectRelative(value: number, expected: number): void {
  expect(Math.abs(value / expected - 1)).toBeLessThan(1e-5)
}

describe('queue', () => {
  test.each([
    [8, 10, 0.40918015079644354],
    [90, 100, 0.21694048090646637],
    [2, 3, 0.4444444444444445],
  ])('Erlang C: %i erlangs at %i servers', (offered, servers, expected) => {
    expectRelative(erlangC({ offered, servers }), expected)
  })

  test('Erlang C: nothing offered never waits, an overload always does', () => {
    expect(erlangC({ offered: 0, servers: 4 })).toBe(0)
    expect(erlangC({ offered: 4, servers: 4 })).toBe(1)
    expect(() => erlangC({ offered: -1, servers: 4 })).toThrow('offered must not be negative, got -1')
    expect(() => erlangC({ offered: 1, servers: 0.5 })).toThrow(
      'servers must be a positive whole number, got 0.5',
    )
  })

  test('birth-death: the published state-dependent example', () => {
    const state = birthDeathState(published)
    expectRelative(state.throughputPerS, 3)
    expectRelative(state.meanResidenceS * 1000, 10568.446)
    expectRelative(state.meanWaitS * 1000, 28.27539)
    expectRelative(state.meanInService, 31.620514)
    // Prefill at the mean number in service; the rest of the service time is decode, one token of which ends the TTFT.
    const meanPrefillMs = prefillMs(state.meanInService)
    const itlMs = ((state.meanResidenceS - state.meanWaitS) * 1000 - meanPrefillMs) / output
    expectRelative(itlMs, 20.534498)
    expectRelative(state.meanWaitS * 1000 + meanPrefillMs + itlMs, 75.31746)
    expectRelative(published.endRatePerS(48) * 0.999, 3.8208232)
  })

  test('birth-death: equal servers and a long queue are Erlang C', () => {
    const state = birthDeathState({ ratePerS: 8, servers: 10, queueMax: 2000, endRatePerS: (n) => n })
    expect(state.waitProbability).toBeCloseTo(erlangC({ offered: 8, servers: 10 }), 9)
    // Mean wait of M/M/c: C / (c mu - lambda).
    expect(state.meanWaitS).toBeCloseTo(erlangC({ offered: 8, servers: 10 }) / 2, 9)
    expect(state.blockedFraction).toBeLessThan(1e-100)
  })

  test('birth-death: M/M/1/K by hand', () => {
    // rho = 1/2, K = 2: probabilities 4/7, 2/7, 1/7.
    const state = birthDeathState({ ratePerS: 1, servers: 1, queueMax: 1, endRatePerS: () => 2 })
    expect(state.blockedFraction).toBeCloseTo(1 / 7, 12)
    expect(state.meanInSystem).toBeCloseTo(4 / 7, 12)
    expect(state.throughputPerS).toBeCloseTo(6 / 7, 12)
  })

  test('birth-death: an overload of hundreds of places stays finite', () => {
    const state = birthDeathState({ ratePerS: 50, servers: 500, queueMax: 2000, endRatePerS: () => 1 })
    expect(state.throughputPerS).toBeCloseTo(1, 9)
  })

  test('birth-death: impossible queues are refused with their value', () => {
    const queue = { ratePerS: 1, servers: 1, queueMax: 1, endRatePerS: () => 0 }
    expect(() => birthDeathState(queue)).toThrow('endRatePerS(1) must be positive, got 0')
    expect(() => birthDeathState({ ...queue, ratePerS: 0 })).toThrow('ratePerS must be positive, got 0')
    expect(() => birthDeathState({ ...queue, queueMax: -1 })).toThrow(
      'queueMax must be a whole number, got -1',
    )
  })
})
