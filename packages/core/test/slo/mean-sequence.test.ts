import { meanOf, varianceOf } from '@loadcurve/core/metrics/batch-means'
import { seededRandom } from '@loadcurve/core/random'
import { meanHalfWidth, meanNeededN, meanVerdict } from '@loadcurve/core/slo/mean-sequence'
import { expect, test } from 'vitest'

/** The first verdict on exponential values of this mean, looked at after every 20th. */
function firstVerdict(mean: number, limit: number, seed: number): string {
  const random = seededRandom(seed, 'mean')
  const values: number[] = []
  while (values.length < 1_500) {
    for (let more = 0; more < 20; more++) values.push(-mean * Math.log(1 - random()))
    const measured = meanOf(values)
    const evidence = {
      mean: measured,
      standardDeviation: Math.sqrt(varianceOf(values, measured)),
      effectiveN: values.length,
    }
    const verdict = meanVerdict(evidence, limit)
    if (verdict !== 'undecided') return verdict
  }
  return 'undecided'
}

test('mean verdict: exactly at the limit, skewed values, a false `met` stays within 5 %', () => {
  const runs = 200
  const found = Array.from({ length: runs }, (_, seed) => firstVerdict(40, 40, seed))
  const tolerance = 4 * Math.sqrt((0.05 * 0.95) / runs)
  expect(found.filter((verdict) => verdict === 'met').length / runs).toBeLessThanOrEqual(0.05 + tolerance)
  expect(found.filter((verdict) => verdict === 'missed').length / runs).toBeLessThanOrEqual(0.05 + tolerance)
})

test('mean verdict: a clear case is decided, either way', () => {
  for (let seed = 0; seed < 20; seed++) {
    expect(firstVerdict(30, 40, seed)).toBe('met')
    expect(firstVerdict(52, 40, seed)).toBe('missed')
  }
})

test('mean half-width: the formula by hand at n = 200', () => {
  // alpha 0.1: rho^2 = (4.60517 + ln 5.60517)/200 = 0.0316441; boundary sqrt((200 + 31.6015) * ln(7.32882/0.01)) = 39.0868
  expect(meanHalfWidth({ standardDeviation: 1, effectiveN: 200 })).toBeCloseTo(39.0868 / 200, 4)
  expect(meanHalfWidth({ standardDeviation: 1, effectiveN: 29 })).toBe(Number.POSITIVE_INFINITY)
})

test('mean needed: the first n that decides', () => {
  const evidence = { mean: 38, standardDeviation: 10, effectiveN: 50 }
  const needed = meanNeededN(evidence, 40) ?? Number.NaN
  expect(meanVerdict({ ...evidence, effectiveN: needed }, 40)).toBe('met')
  expect(meanVerdict({ ...evidence, effectiveN: needed - 1 }, 40)).toBe('undecided')
  expect(meanNeededN({ ...evidence, mean: 40 }, 40)).toBeNull()
})
