import { mser5, steadyState } from '@loadcurve/core/metrics/steady-state'
import { seededRandom, standardNormal } from '@loadcurve/core/random'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const noisy = (n: number, seed: number, level: (index: number) => number) => {
  const random = seededRandom(seed)
  return Array.from({ length: n }, (_, index) => level(index) + standardNormal(random))
}

// The definition, cut by cut, without the running sums.
function bruteForce(series: readonly number[]): { cut: number; statistic: number } {
  const means: number[] = []
  for (let group = 0; group + 5 <= series.length; group += 5) {
    means.push(series.slice(group, group + 5).reduce((sum, value) => sum + value, 0) / 5)
  }
  let best = { cut: 0, statistic: Number.POSITIVE_INFINITY }
  for (let cut = 0; cut <= Math.floor(means.length / 2); cut++) {
    const rest = means.slice(cut)
    const mean = rest.reduce((sum, value) => sum + value, 0) / rest.length
    const statistic = rest.reduce((sum, value) => sum + (value - mean) ** 2, 0) / rest.length ** 2
    if (statistic < best.statistic) best = { cut: cut * 5, statistic }
  }
  return best
}

test('MSER-5: the cut that brute force finds', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 30, max: 200 }),
      fc.integer(),
      fc.double({ min: 0, max: 20, noNaN: true }),
      (n, seed, start) => {
        const series = noisy(n, seed, (index) => start * Math.exp(-index / 10))
        expect(mser5(series)?.cut).toBe(bruteForce(series).cut)
      },
    ),
    { seed: 3 },
  )
})

test('MSER-5: a start-up transient is cut off, a steady series keeps nearly all', () => {
  const transient = mser5(noisy(500, 1, (index) => (index < 60 ? 30 : 0)))
  expect(transient?.cut).toBe(60)
  expect(mser5(new Array(100).fill(4))?.atBound).toBe(false)
  expect(mser5([1, 2, 3])).toBeNull()
})

test('steady state: stationary noise is called unsettled in under 1 % of series', () => {
  let unsettled = 0
  for (let seed = 0; seed < 1_000; seed++) {
    if (steadyState(noisy(300, seed, () => 8)).steady === false) unsettled++
  }
  expect(unsettled).toBeLessThan(10)
})

test('steady state: a steady queue with a long memory is called unsettled in under 3 % of series', () => {
  // Correlation 0.9 from one request to the next: neighbours 20 apart still know of each other.
  const queue = (seed: number) => {
    const random = seededRandom(seed, 'queue')
    let value = standardNormal(random) / Math.sqrt(1 - 0.81)
    return Array.from({ length: 400 }, () => {
      value = 0.9 * value + standardNormal(random)
      return 10 + value
    })
  }
  let unsettled = 0
  for (let seed = 0; seed < 500; seed++) if (steadyState(queue(seed)).steady === false) unsettled++
  expect(unsettled).toBeLessThan(15)
})

test('steady state: a queue that grows through the whole window is unsettled', () => {
  for (let seed = 0; seed < 50; seed++) {
    const found = steadyState(noisy(300, seed, (index) => 10 + index / 10))
    expect(found.steady).toBe(false)
    expect(found.changeFraction).toBeGreaterThan(0.5)
  }
})

test('steady state: latency that doubles in a step of 400 requests is seen in at least 9 of 10', () => {
  let seen = 0
  for (let seed = 0; seed < 200; seed++) {
    const random = seededRandom(seed, 'doubling')
    const series = Array.from({ length: 400 }, (_, index) => 10 + index / 40 + 2 * standardNormal(random))
    if (steadyState(series).steady === false) seen++
  }
  expect(seen).toBeGreaterThan(180)
})

test('steady state: a start-up alone is settled by its cut', () => {
  const found = steadyState(noisy(500, 4, (index) => 50 + (index < 60 ? 30 : 0)))
  expect(found.steady).toBe(true)
  // Noise may move the cut by a group of five.
  expect(Math.abs((found.cutFraction ?? 0) - 60 / 500)).toBeLessThanOrEqual(5 / 500 + 1e-12)
})

test('steady state: drift below what matters does not matter', () => {
  expect(steadyState(noisy(3_000, 6, (index) => 1_000 + index / 100)).steady).toBe(true)
})

test('steady state: too short is unknown', () => {
  expect(steadyState([1, 2, 3])).toEqual({ steady: null, cutFraction: null, changeFraction: null })
})
