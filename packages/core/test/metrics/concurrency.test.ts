import { meanInFlight } from '@loadcurve/core/metrics/concurrency'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const intervals = (pairs: readonly (readonly [number, number])[]) => ({
  startAtMs: Float64Array.from(pairs, ([start]) => start),
  endAtMs: Float64Array.from(pairs, ([, end]) => end),
})

// The sweep line itself: walk over starts and ends in order of time and add up the area.
function sweepLine(pairs: readonly (readonly [number, number])[], startMs: number, endMs: number): number {
  const events = pairs.flatMap(([start, end]) => [
    { atMs: start, change: 1 },
    { atMs: end, change: -1 },
  ])
  events.push({ atMs: startMs, change: 0 }, { atMs: endMs, change: 0 })
  events.sort((left, right) => left.atMs - right.atMs)
  let [inFlight, area, before] = [0, 0, Number.NEGATIVE_INFINITY]
  for (const { atMs, change } of events) {
    if (before >= startMs && atMs <= endMs) area += inFlight * (atMs - before)
    inFlight += change
    before = atMs
  }
  return area / (endMs - startMs)
}

test('concurrency: by hand, clipped to the window', () => {
  const pairs = [
    [-500, 250],
    [0, 1_000],
    [900, 5_000],
    [2_000, 3_000],
  ] as const
  expect(meanInFlight(intervals(pairs), { startMs: 0, endMs: 1_000 })).toBeCloseTo(
    (250 + 1_000 + 100) / 1_000,
    12,
  )
})

test('concurrency: the area under the sweep line, for any intervals and any window', () => {
  const interval = fc
    .tuple(fc.integer({ min: -100, max: 100 }), fc.nat(80))
    .map(([start, length]) => [start, start + length] as const)
  fc.assert(
    fc.property(
      fc.array(interval, { maxLength: 40 }),
      fc.integer({ min: -50, max: 50 }),
      fc.integer({ min: 1, max: 90 }),
      (pairs, startMs, lengthMs) => {
        const endMs = startMs + lengthMs
        expect(meanInFlight(intervals(pairs), { startMs, endMs })).toBeCloseTo(
          sweepLine(pairs, startMs, endMs),
          9,
        )
      },
    ),
    { seed: 4 },
  )
})

test('concurrency: a window without length is the programmer’s mistake', () => {
  expect(() => meanInFlight(intervals([]), { startMs: 5, endMs: 5 })).toThrow(
    'window must have a length, got 5 to 5',
  )
})
