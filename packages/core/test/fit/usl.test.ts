import { expect, test } from 'vitest'
import { fitUsl, uslThroughput } from '../../src/fit/usl.ts'
import { fixtureRows } from '../measured.ts'

const points = (name: string, columns: { n: string; x: string }) =>
  fixtureRows(name).map((row) => ({ concurrency: row[columns.n] ?? 0, throughput: row[columns.x] ?? 0 }))

test('usl: SPEC SDM91 to the coefficients that R’s usl publishes', () => {
  const fit = fitUsl(points('usl_specsdm91', { n: 'load', x: 'throughput' }))
  expect(fit?.converged).toBe(true)
  expect(fit?.alpha).toBeCloseTo(0.0277285, 6)
  expect(fit?.beta).toBeCloseTo(0.0001044, 7)
  expect(fit?.gamma).toBeCloseTo(89.9952384, 3)
  expect(fit?.residualStandardError).toBeCloseTo(82.85, 2)
  expect(fit?.peakConcurrency).toBeCloseTo(96.51956, 2)
})

test('usl: the ray tracer has β = 0, and the reduced model is fitted', () => {
  const fit = fitUsl(points('usl_raytracer', { n: 'processors', x: 'throughput' }))
  expect(fit?.beta).toBe(0)
  expect(fit?.alpha).toBeCloseTo(0.057771, 5)
  expect(fit?.gamma).toBeCloseTo(21.848843, 4)
  expect(fit?.peakConcurrency).toBeNull()
})

test('usl: the ray tracer’s first six rows to the published coefficients', () => {
  const fit = fitUsl(points('usl_raytracer', { n: 'processors', x: 'throughput' }).slice(0, 6))
  expect(fit?.alpha).toBeCloseTo(0.02444, 4)
  expect(fit?.beta).toBeCloseTo(0.00163, 5)
  expect(fit?.gamma).toBeCloseTo(20.85605, 3)
})

test('usl: exact values are recovered', () => {
  const fit = fitUsl(points('usl_synthetic_exact', { n: 'load', x: 'tput' }))
  expect(fit?.alpha).toBeCloseTo(0.02, 4)
  expect(fit?.beta).toBeCloseTo(0.02, 4)
  expect(fit?.gamma).toBeCloseTo(1, 4)
})

test('usl: a linear step time is USL with β = 0, α = s/(a + s), γ = 1/(a + s)', () => {
  const [base, slope] = [17.66, 0.879]
  const fit = fitUsl([1, 5, 25, 50, 85].map((n) => ({ concurrency: n, throughput: n / (base + slope * n) })))
  expect(fit?.beta).toBeLessThan(1e-9)
  expect(fit?.alpha).toBeCloseTo(slope / (base + slope), 6)
  expect(fit?.gamma).toBeCloseTo(1 / (base + slope), 6)
  expect(uslThroughput(fit ?? { alpha: 0, beta: 0, gamma: 0 }, 30)).toBeCloseTo(30 / (base + slope * 30), 6)
})

test('usl: three points leave nothing to check three coefficients with', () => {
  expect(fitUsl([1, 2, 3].map((n) => ({ concurrency: n, throughput: n })))).toBeNull()
})
