import { batchMeans, effectiveSampleSize, meansOfBatches } from '@loadcurve/core/metrics/batch-means'
import { seededRandom, standardNormal } from '@loadcurve/core/random'
import { expect, test } from 'vitest'

// x_i = phi*x_(i-1) + noise: the variance of its mean is that of n(1 - phi)/(1 + phi) independent values.
function autoregressive(n: number, phi: number, seed: number): Float64Array {
  const random = seededRandom(seed)
  const values = new Float64Array(n)
  let value = standardNormal(random) / Math.sqrt(1 - phi * phi)
  for (let index = 0; index < n; index++) {
    values[index] = 100 + value
    value = phi * value + standardNormal(random)
  }
  return values
}

test.each([0, 0.3, 0.6, 0.9])(
  'effective n: of an autoregressive series with phi %f it is n(1 - phi)/(1 + phi)',
  (phi) => {
    const n = 8_000
    const expected = (n * (1 - phi)) / (1 + phi)
    const found = [1, 2, 3, 4, 5, 6, 7, 8].map((seed) => effectiveSampleSize(autoregressive(n, phi, seed)))
    const mean = found.reduce((sum, one) => sum + one, 0) / found.length
    expect(mean / expected).toBeGreaterThan(0.85)
    expect(mean / expected).toBeLessThan(1.15)
  },
)

test('effective n: a long series, cut into blocks, is worth what its parts are', () => {
  const n = 200_000
  for (const phi of [0, 0.9]) {
    const found = effectiveSampleSize(autoregressive(n, phi, 11))
    expect(found / ((n * (1 - phi)) / (1 + phi))).toBeGreaterThan(0.85)
    expect(found / ((n * (1 - phi)) / (1 + phi))).toBeLessThan(1.15)
  }
})

test('effective n: never above n, not even for a series that alternates', () => {
  const alternating = Float64Array.from({ length: 100 }, (_, index) => index % 2)
  expect(effectiveSampleSize(alternating)).toBe(100)
  expect(effectiveSampleSize([5, 5, 5, 5, 5])).toBe(5)
  expect(effectiveSampleSize([])).toBe(0)
})

test('batch means: by hand', () => {
  // 24 values in 8 batches of 3 with means 2, 5, ..., 23: mean 12.5, sd of the means 3*sqrt(6).
  const values = Array.from({ length: 24 }, (_, index) => index + 1)
  expect(meansOfBatches(values)).toEqual([2, 5, 8, 11, 14, 17, 20, 23])
  const found = batchMeans(values)
  expect(found?.mean).toBe(12.5)
  expect(found?.relativeError).toBeCloseTo((3 * Math.sqrt(6)) / Math.sqrt(8) / 12.5, 12)
  expect(batchMeans(values.slice(0, 23))).toBeNull()
})

test('batch means: the error of a correlated mean is the true one, not s/sqrt(n)', () => {
  const [n, phi] = [3_000, 0.8]
  // Variance of the mean: sigma^2/n * (1 + phi)/(1 - phi), sigma^2 = 1/(1 - phi^2).
  const truth = Math.sqrt(((1 / (1 - phi * phi)) * ((1 + phi) / (1 - phi))) / n)
  const found = Array.from(
    { length: 40 },
    (_, seed) => (batchMeans(autoregressive(n, phi, seed))?.relativeError ?? 0) * 100,
  )
  const mean = found.reduce((sum, one) => sum + one, 0) / found.length
  // 30 batches: the error of one estimate is 13 %, of the mean of 40 of them 2 %; batches of 100 leave 4 % of bias.
  expect(Math.abs(mean / truth - 1)).toBeLessThan(0.12)
})

test('batch means: of zeros have no relative error', () => {
  expect(batchMeans(new Float64Array(30))?.relativeError).toBeNull()
})
