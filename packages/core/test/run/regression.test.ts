import { seededRandom, standardNormal } from '@loadcurve/core/random'
import { CHANGE_MIN, judgeRegression } from '@loadcurve/core/run/regression'
import { expect, test } from 'vitest'

test('regression: a hand-worked case', () => {
  // ln(100·{1, 1.02, 0.98, 1.01}): mean ln 100 + 0.00239..., sd 0.01716; t(0.975; 3) = 3.1824.
  const judged = judgeRegression({ values: [100, 102, 98, 101, 120], isBetter: 'lower' })
  const logs = [100, 102, 98, 101].map(Math.log)
  const mean = logs.reduce((sum, log) => sum + log, 0) / 4
  const sd = Math.sqrt(logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / 3)
  const half = 3.1824 * sd * Math.sqrt(1.25)
  expect(judged.baseline).toBeCloseTo(Math.exp(mean), 10)
  expect(judged.interval?.[0]).toBeCloseTo(Math.exp(mean - half), 10)
  expect(judged.interval?.[1]).toBeCloseTo(Math.exp(mean + half), 10)
  expect(judged.verdict).toBe('worse')
  expect(judged.runs).toBe(4)
})

test('regression: the direction decides what is worse', () => {
  const values = [100, 102, 98, 101, 120]
  expect(judgeRegression({ values, isBetter: 'lower' }).verdict).toBe('worse')
  expect(judgeRegression({ values, isBetter: 'higher' }).verdict).toBe('better')
})

test('regression: with fewer than four earlier runs there is no verdict', () => {
  const judged = judgeRegression({ values: [100, 100, 100, 300], isBetter: 'lower' })
  expect(judged).toMatchObject({
    verdict: 'too-few-runs',
    value: 300,
    baseline: null,
    interval: null,
    runs: 3,
  })
})

test('regression: a missing newest value is no verdict, a missing earlier one is passed over', () => {
  expect(judgeRegression({ values: [1, 1, 1, 1, null], isBetter: 'lower' }).verdict).toBe('too-few-runs')
  expect(judgeRegression({ values: [1, null, 1, 1, 1, 1], isBetter: 'lower' })).toMatchObject({
    verdict: 'steady',
    runs: 4,
  })
})

test('regression: a change that nobody can feel is steady, however quiet the series', () => {
  const quiet = [100, 100, 100, 100, 100 * (1 + CHANGE_MIN / 2)]
  expect(judgeRegression({ values: quiet, isBetter: 'lower' }).verdict).toBe('steady')
})

test('regression: when nothing changes, one night in twenty is called changed', () => {
  const random = seededRandom(5)
  const nights = 4000
  let called = 0
  for (let night = 0; night < nights; night++) {
    const values = Array.from({ length: 12 }, () => 50 * Math.exp(0.05 * standardNormal(random)))
    if (judgeRegression({ values, isBetter: 'lower' }).verdict !== 'steady') called++
  }
  // Binomial standard error of a 5 % rate over this many nights.
  expect(Math.abs(called / nights - 0.05)).toBeLessThan(4 * Math.sqrt((0.05 * 0.95) / nights))
})

test('regression: a value that is not positive is the programmer’s mistake', () => {
  expect(() => judgeRegression({ values: [1, 1, 0], isBetter: 'lower' })).toThrow(
    'values must be positive, got 0',
  )
})
