import { seededRandom, standardNormal } from '@loadcurve/core/random'
import type { JudgedRequests } from '@loadcurve/core/slo/judge'
import { judgeCounts, judgeSlo } from '@loadcurve/core/slo/judge'
import { expect, test } from 'vitest'

const p95 = { metric: 'ttft' as const, percentile: 95, maxMs: 100 }

function requests(values: readonly number[], failed: readonly number[] = []): JudgedRequests {
  const perRequest = Float64Array.from(values)
  const known = perRequest.filter((value) => !Number.isNaN(value))
  return {
    perRequest,
    values: known,
    sorted: known.slice().sort(),
    failed: Uint8Array.from(values, (_, index) => (failed.includes(index) ? 1 : 0)),
  }
}

/** Independent values around 70 ms, `over` of them over the limit at random places. */
function independent(n: number, over: number): number[] {
  const random = seededRandom(n + over, 'independent')
  const places = Array.from({ length: n }, (_, place) => ({ place, key: random() })).sort(
    (one, other) => one.key - other.key,
  )
  const chosen = new Set(places.slice(0, over).map(({ place }) => place))
  return Array.from({ length: n }, (_, place) => (chosen.has(place) ? 150 : 50 + 40 * random()))
}

test('judge: met, missed and undecided with their evidence', () => {
  expect(judgeSlo(p95, requests(independent(400, 4)))).toMatchObject({
    verdict: 'met',
    n: 400,
    over: 4,
    moreRequests: null,
  })
  expect(judgeSlo(p95, requests(independent(400, 60)))).toMatchObject({ verdict: 'missed', over: 60 })
  const undecided = judgeSlo(p95, requests(independent(100, 3)))
  expect(undecided.verdict).toBe('undecided')
  expect(undecided.moreRequests).toBeGreaterThan(100)
})

test('judge: failed requests are over the limit, whatever the others did', () => {
  const values = independent(200, 0).map((value, index) => (index % 5 === 0 ? Number.NaN : value))
  const failed = values.map((_, index) => index).filter((index) => index % 5 === 0)
  expect(judgeSlo(p95, requests(values, failed))).toMatchObject({ verdict: 'missed', n: 200, over: 40 })
})

test('judge: a request that the metric does not apply to counts neither way', () => {
  const values = [...independent(100, 0), ...new Array<number>(50).fill(Number.NaN)]
  expect(judgeSlo(p95, requests(values))).toMatchObject({ verdict: 'met', n: 100, over: 0 })
})

test('judge: nothing measured is undecided, not met', () => {
  expect(judgeSlo(p95, requests([]))).toEqual({
    target: p95,
    verdict: 'undecided',
    n: 0,
    effectiveN: 0,
    over: 0,
    measuredMs: null,
    moreRequests: 70,
  })
})

test('judge: alike neighbours are worth less, so it takes longer', () => {
  const each = independent(120, 0)
  const repeated = each.slice(0, 12).flatMap((value) => new Array<number>(10).fill(value))
  expect(judgeSlo(p95, requests(each)).verdict).toBe('met')
  const found = judgeSlo(p95, requests(repeated))
  expect(found.effectiveN).toBeLessThan(60)
  expect(found.verdict).toBe('undecided')
})

test.each([0.7, 0.9])(
  'judge: latencies correlated by %f, exactly at the limit, looked at every 25 requests: a false `met` stays within 5 %',
  (phi) => {
    // An autoregressive series with variance 1: its 95th percentile is 1.6449.
    const runs = 100
    const target = { ...p95, maxMs: 10 + 1.6449 }
    let met = 0
    for (let seed = 0; seed < runs; seed++) {
      const random = seededRandom(seed, 'correlated')
      const values: number[] = []
      let state = standardNormal(random)
      for (let look = 0; look < 24; look++) {
        for (let more = 0; more < 25; more++) {
          values.push(10 + state)
          state = phi * state + Math.sqrt(1 - phi * phi) * standardNormal(random)
        }
        if (judgeSlo(target, requests(values)).verdict === 'met') {
          met++
          break
        }
      }
    }
    expect(met / runs).toBeLessThanOrEqual(0.05 + 4 * Math.sqrt((0.05 * 0.95) / runs))
  },
)

test('judge: a promised mean', () => {
  const target = { metric: 'tpot' as const, percentile: 'mean' as const, maxMs: 40 }
  const around = (mean: number) =>
    requests(Array.from({ length: 200 }, (_, index) => mean + ((index * 104_729) % 11) - 5))
  expect(judgeSlo(target, around(30))).toMatchObject({ verdict: 'met', over: null })
  expect(judgeSlo(target, around(50))).toMatchObject({ verdict: 'missed' })
  const close = judgeSlo(target, around(39.9))
  expect(close.verdict).toBe('undecided')
  expect(close.moreRequests).toBeGreaterThan(0)
  expect(judgeSlo(target, requests([12]))).toMatchObject({ verdict: 'undecided', n: 1, measuredMs: 12 })
})

test('judge: counts are scaled to what they are worth, and so is what is missing', () => {
  const counts = { target: p95, percentile: 95, measuredMs: 90, over: 0 }
  expect(judgeCounts({ ...counts, n: 100, effectiveN: 100 }).verdict).toBe('met')
  const half = judgeCounts({ ...counts, n: 100, effectiveN: 50 })
  expect(half).toMatchObject({ verdict: 'undecided', moreRequests: 40 })
})
