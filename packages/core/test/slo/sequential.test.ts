import { seededRandom } from '@loadcurve/core/random'
import {
  logEvidenceMet,
  logEvidenceMissed,
  moreToDecide,
  sequentialVerdict,
  VERDICT_ERROR,
} from '@loadcurve/core/slo/sequential'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const p0 = 0.05

const N_MAX = 3_000

// For t over the limit: the first n at which that is `met`, and the last at which it is `missed`. The evidence moves one
// way in n (it is the exact rule, evaluated once instead of after every request of every run).
const boundaries = Array.from({ length: N_MAX }, (_, over) => {
  const metAt = firstWhere(
    over,
    N_MAX + 1,
    (n) => sequentialVerdict({ over, n, allowedFraction: p0 }) === 'met',
  )
  const lostAt = firstWhere(
    over,
    N_MAX + 1,
    (n) => sequentialVerdict({ over, n, allowedFraction: p0 }) !== 'missed',
  )
  return metAt > N_MAX && over > N_MAX * p0 * 2 ? null : { metAt, lostAt }
})

function firstWhere(low: number, high: number, holds: (n: number) => boolean): number {
  let [no, yes] = [Math.max(0, low - 1), high]
  while (yes - no > 1) {
    const middle = Math.floor((no + yes) / 2)
    if (holds(middle)) yes = middle
    else no = middle
  }
  return yes
}

/** The first verdict of a server with this share over the limit, looked at after every request. */
function firstVerdict(share: number, seed: number): { verdict: string; n: number } {
  const random = seededRandom(seed, 'looks')
  let over = 0
  for (let n = 1; n <= N_MAX; n++) {
    if (random() < share) over++
    const at = boundaries[over]
    if (at == null || n < at.lostAt) return { verdict: 'missed', n }
    if (n >= at.metAt) return { verdict: 'met', n }
  }
  return { verdict: 'undecided', n: N_MAX }
}

const RUNS = 4_000
const shareOf = (verdict: string, share: number) => {
  let count = 0
  for (let seed = 0; seed < RUNS; seed++) if (firstVerdict(share, seed).verdict === verdict) count++
  return count / RUNS
}

// Ville's inequality bounds each error by alpha over an endless run; 4 standard errors of the simulation on top.
const bound = VERDICT_ERROR + 4 * Math.sqrt((VERDICT_ERROR * (1 - VERDICT_ERROR)) / RUNS)

test('sequential verdict: the boundaries used below are the rule itself', () => {
  for (let over = 0; over < 40; over++) {
    for (let n = Math.max(1, over); n < 400; n += 3) {
      const at = boundaries[over]
      const expected =
        at != null && n >= at.metAt ? 'met' : at == null || n < at.lostAt ? 'missed' : 'undecided'
      expect(sequentialVerdict({ over, n, allowedFraction: p0 })).toBe(expected)
    }
  }
})

test('sequential verdict: exactly at the limit, looked at after each of 3,000 requests, a false `met` stays within 5 %', () => {
  const false_ = shareOf('met', p0)
  expect(false_).toBeLessThanOrEqual(bound)
  // It is not vacuous either: some runs do cross.
  expect(false_).toBeGreaterThan(0.005)
})

test('sequential verdict: exactly at the limit, a false `missed` stays within 5 %', () => {
  expect(shareOf('missed', p0)).toBeLessThanOrEqual(bound)
})

test('sequential verdict: a fixed-n table, looked at again and again, is what this replaces', () => {
  // Met as soon as the table's n for t over the limit is reached (95 %, p95): right for one look only.
  const table = [59, 93, 124, 153, 181, 208, 234, 260, 286, 311, 336]
  let false_ = 0
  for (let seed = 0; seed < RUNS; seed++) {
    const random = seededRandom(seed, 'looks')
    let over = 0
    for (let n = 1; n <= 336; n++) {
      if (random() < p0) over++
      if (n >= (table[over] ?? Number.POSITIVE_INFINITY)) {
        false_++
        break
      }
    }
  }
  expect(false_ / RUNS).toBeGreaterThan(0.15)
})

test('sequential verdict: it decides, in about the time that the evidence needs', () => {
  const needed = (share: number) =>
    Array.from({ length: 101 }, (_, seed) => firstVerdict(share, seed))
      .map(({ n }) => n)
      .sort((left, right) => left - right)[50]
  // Wald: about ln(20) / KL(share, p0) requests at least; the mixture costs less than three times that.
  const wald = (share: number) =>
    Math.log(20) / (share * Math.log(share / p0) + (1 - share) * Math.log((1 - share) / (1 - p0)))
  for (const share of [0.01, 0.02, 0.15, 0.3]) {
    expect(needed(share)).toBeLessThan(3 * wald(share))
    expect(needed(share)).toBeGreaterThan(0.5 * wald(share))
  }
})

test('sequential verdict: with nothing over the limit it takes 70 requests at p95 and 358 at p99', () => {
  const first = (allowedFraction: number) => {
    let n = 1
    while (sequentialVerdict({ over: 0, n, allowedFraction }) !== 'met') n++
    return n
  }
  expect(first(0.05)).toBe(70)
  expect(first(0.01)).toBe(358)
})

test('sequential evidence: the mixture integral by quadrature', () => {
  // Midpoint rule on the definition, with the prior normalised on its side of the limit.
  const integrate = (from: number, to: number, density: (q: number) => number, over: number, n: number) => {
    let [value, mass] = [0, 0]
    const cells = 50_000
    for (let cell = 0; cell < cells; cell++) {
      // Squeezed towards `from`, where the density of the first prior is infinite.
      const [left, right] = [cell / cells, (cell + 1) / cells].map((one) => from + (to - from) * one * one)
      const q = ((left ?? 0) + (right ?? 0)) / 2
      const weight = density(q) * ((right ?? 0) - (left ?? 0))
      mass += weight
      value += weight * Math.exp(over * Math.log(q / p0) + (n - over) * Math.log((1 - q) / (1 - p0)))
    }
    return Math.log(value / mass)
  }
  const met = (q: number) => q ** -0.5 * (1 - q) ** (1 / p0 - 1)
  for (const [over, n] of [
    [0, 40],
    [2, 150],
    [9, 120],
    [30, 900],
  ] as const) {
    const counts = { over, n, allowedFraction: p0 }
    expect(logEvidenceMet(counts)).toBeCloseTo(integrate(0, p0, met, over, n), 2)
    expect(logEvidenceMissed(counts)).toBeCloseTo(
      integrate(p0, 1, () => 1, over, n),
      3,
    )
  }
})

test('sequential verdict: more over the limit never helps, and never both', () => {
  const counts = fc
    .tuple(fc.nat(300), fc.nat(300))
    .map(([left, right]) => [Math.min(left, right), Math.max(left, right)] as const)
  fc.assert(
    fc.property(counts, ([over, n]) => {
      const at = (one: number) => ({ over: one, n, allowedFraction: p0 })
      if (over < n) expect(logEvidenceMet(at(over + 1))).toBeLessThanOrEqual(logEvidenceMet(at(over)) + 1e-9)
      const both = logEvidenceMet(at(over)) > 3 && logEvidenceMissed(at(over)) > 3
      expect(both).toBe(false)
    }),
    { seed: 5 },
  )
})

test('more to decide: that many more, at the same share, decide it, and one less does not', () => {
  for (const counts of [
    { over: 0, n: 20, allowedFraction: p0 },
    { over: 2, n: 100, allowedFraction: p0 },
    { over: 6, n: 60, allowedFraction: p0 },
  ]) {
    const more = moreToDecide(counts) ?? Number.NaN
    const share = counts.over / counts.n
    const after = (extra: number) =>
      sequentialVerdict({ ...counts, over: counts.over + share * extra, n: counts.n + extra })
    expect(after(more)).not.toBe('undecided')
    expect(after(more - 1)).toBe('undecided')
  }
  expect(moreToDecide({ over: 0, n: 20, allowedFraction: p0 })).toBe(50)
})

test('more to decide: 0 when it is decided, null when a server sits at its limit', () => {
  expect(moreToDecide({ over: 0, n: 100, allowedFraction: p0 })).toBe(0)
  expect(moreToDecide({ over: 50, n: 1_000, allowedFraction: p0 })).toBeNull()
})

test('sequential verdict: impossible counts are quoted', () => {
  expect(() => sequentialVerdict({ over: 3, n: 2, allowedFraction: p0 })).toThrow(
    'over must lie in [0, n], got 3 of 2',
  )
  expect(() => sequentialVerdict({ over: 0, n: 2, allowedFraction: 1 })).toThrow(
    'allowedFraction must lie in (0, 1), got 1',
  )
})
