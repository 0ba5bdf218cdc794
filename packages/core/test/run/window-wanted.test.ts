import type { Sample } from '@loadcurve/core/metrics/sample'
import { seededRandom, standardNormal } from '@loadcurve/core/random'
import { windowWanted } from '@loadcurve/core/run/window-wanted'
import { expect, test } from 'vitest'

const closed = { batch: null, concurrency: 8, ratePerS: null }
const rules = { residences: 5, precisionFraction: 0.03, slo: [] }

/** Requests that start evenly in a window of 10 s; each gives its own latencies, ms. */
function samples(count: number, latencies: (index: number) => { ttftMs: number; tpotMs: number }): Sample[] {
  return Array.from({ length: count }, (_, index) => {
    const sentAtMs = (index * 10_000) / count
    const { ttftMs, tpotMs } = latencies(index)
    const firstAtMs = sentAtMs + ttftMs
    return {
      ...{ index, phase: 'window', outcome: 'ok', sequences: 1, retries: 0, errorCode: null },
      ...{ scheduledAtMs: sentAtMs, dispatchedAtMs: sentAtMs, sentAtMs, firstByteAtMs: firstAtMs },
      ...{ firstContentAtMs: firstAtMs, firstVisibleAtMs: firstAtMs, validJsonAtMs: null },
      lastContentAtMs: firstAtMs + 50 * tpotMs,
      closedAtMs: firstAtMs + 50 * tpotMs,
      ...{ outputTokens: 51, firstEventTokens: 1, outputTokensSource: 'usage' },
    } as unknown as Sample
  })
}

const wanted = (seen: readonly Sample[], part: Partial<Parameters<typeof windowWanted>[0]> = {}): number =>
  windowWanted({
    ...{ rules, level: closed, samples: seen, window: { startMs: 0, endMs: 10_000 }, windowMs: 12_000 },
    ...part,
  })

const steady = samples(200, () => ({ ttftMs: 100, tpotMs: 20 }))

test('window wanted: a steady step with nothing open ends as planned', () => {
  expect(wanted(steady)).toBe(12_000)
  expect(wanted([])).toBe(12_000)
})

test('window wanted: five residences, now that the residence is known', () => {
  // E2E = 100 + 50 * 70 = 3600 ms.
  expect(wanted(samples(200, () => ({ ttftMs: 100, tpotMs: 70 })))).toBeCloseTo(5 * 3600, 6)
})

test('window wanted: precision grows with the square root of the window', () => {
  const random = seededRandom(1)
  const noisy = samples(300, () => ({ ttftMs: 100, tpotMs: 20 * Math.exp(0.6 * standardNormal(random)) }))
  const coarse = wanted(noisy, { rules: { ...rules, precisionFraction: 0.06 } })
  const fine = wanted(noisy, { rules: { ...rules, precisionFraction: 0.04 } })
  expect(coarse).toBeGreaterThan(12_000)
  // A half-width of 4 % instead of 6 % takes (6/4)^2 = 2.25 times as long.
  expect(fine / coarse).toBeCloseTo(2.25, 6)
})

test('window wanted: an undecided promise asks for the requests that would decide it, at the rate seen', () => {
  const slo = [{ metric: 'ttft', percentile: 95, maxMs: 150 }] as const
  // 40 requests, none over the limit: too few for p95, and 70 with none over are enough.
  const few = samples(40, () => ({ ttftMs: 100, tpotMs: 20 }))
  const ms = wanted(few, { rules: { ...rules, slo } })
  expect(ms).toBeGreaterThanOrEqual((10_000 * 69) / 40)
  expect(ms).toBeLessThanOrEqual((10_000 * 75) / 40)
  expect(wanted(steady, { rules: { ...rules, slo } })).toBe(12_000)
})

test('window wanted: one look stretches the window at most four times', () => {
  const slo = [{ metric: 'ttft', percentile: 99, maxMs: 150 }] as const
  const few = samples(25, () => ({ ttftMs: 100, tpotMs: 20 }))
  expect(wanted(few, { rules: { ...rules, slo } })).toBe(40_000)
})

test('window wanted: in open loop a TTFT is judged from the schedule', () => {
  const late = steady.map((sample) => ({ ...sample, scheduledAtMs: sample.scheduledAtMs - 100 }))
  const slo = [{ metric: 'ttft', percentile: 95, maxMs: 150 }] as const
  const few = late.slice(0, 20)
  // 20 requests of 200 ms are surely over 150 ms, and of 100 ms not surely under it.
  const inLoop = (level: typeof closed | { batch: null; concurrency: null; ratePerS: number }) =>
    wanted(few, { level, rules: { ...rules, slo } })
  expect(inLoop({ batch: null, concurrency: null, ratePerS: 2 })).toBe(12_000)
  expect(inLoop(closed)).toBeGreaterThan(12_000)
})
