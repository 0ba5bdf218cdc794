import { expect, test } from 'vitest'
import { readLevel } from '../../src/fit/reading.ts'
import { closedLoopLevels, latency, levelWith, mainOracle } from '../measured.ts'

test('reading: the main oracle obeys Little’s law within 0.6 % and shows its plateau at 85.4', () => {
  const readings = mainOracle().map((level) => readLevel(level, null))
  for (const reading of readings) expect(Math.abs((reading.littlesLawRatio ?? 0) - 1)).toBeLessThan(0.006)
  // b = X·(O − 1)·TPOT at 150, 200 and 250 clients, by hand.
  expect(readings[6]?.decodeBatch).toBeCloseTo((920.54 / 500) * 499 * 0.09306, 6)
  // Little in the queue: b = N − X·TTFT.
  expect(readings[2]?.decodeBatch).toBeCloseTo(25 - (623.4 / 500) * 0.68869, 9)
})

test('reading: throughput that follows from Little’s law cannot check it', () => {
  const reading = readLevel(
    levelWith({ concurrency: 10, ttftMs: latency({ mean: 500 }), tpotMs: latency({ mean: 20 }) }),
    101,
  )
  expect(reading.throughputDerived).toBe(true)
  expect(reading.requestsPerS).toBeCloseTo(10 / 2.5, 12)
  expect(reading.littlesLawRatio).toBeNull()
  expect(reading.decodeBatch).toBeCloseTo(10 - 4 * 0.5, 12)
})

test('reading: below 0.97 what the law sees in flight is believed, not the nominal concurrency', () => {
  const reading = readLevel(
    levelWith({
      concurrency: 10,
      requestsPerS: 3.8,
      ttftMs: latency({ mean: 500 }),
      tpotMs: latency({ mean: 20 }),
    }),
    101,
  )
  expect(reading.littlesLawRatio).toBeCloseTo(0.95, 12)
  expect(reading.inFlight).toBeCloseTo(9.5, 12)
})

test('reading: an achieved concurrency is used where it was measured', () => {
  const [first] = closedLoopLevels('llamacpp_small_closed')
  const reading = readLevel(first ?? levelWith({}), null)
  expect(reading.inFlight).toBe(0.998)
  expect(reading.littlesLawRatio).toBeCloseTo(0.998, 12)
  expect(reading.identityRatio).toBeCloseTo((1.1223 * (99.34 + 94.2 * 8.38)) / 1000 / 0.998, 9)
})

test('reading: clients that think are not in flight, and N = X·(R + Z) still holds', () => {
  // R = 0.5 + 100·0.02 = 2.5 s, Z = 7.5 s: 20 clients give 2 requests/s and 5 in flight.
  const reading = readLevel(
    levelWith({
      concurrency: 20,
      requestsPerS: 2,
      thinkTimeS: 7.5,
      ttftMs: latency({ mean: 500 }),
      tpotMs: latency({ mean: 20 }),
    }),
    101,
  )
  expect(reading.littlesLawRatio).toBeCloseTo(1, 12)
  expect(reading.inFlight).toBeCloseTo(5, 12)
  expect(reading.decodeBatch).toBeCloseTo(4, 12)
})

test('reading: medians do not obey Little’s law, so they get no ratio', () => {
  const reading = readLevel(
    levelWith({
      concurrency: 4,
      requestsPerS: 2,
      ttftMs: latency({ p50: 400 }),
      tpotMs: latency({ p50: 15 }),
    }),
    101,
  )
  expect(reading.statistic).toBe('p50')
  expect(reading.littlesLawRatio).toBeNull()
  expect(reading.decodeBatch).toBeCloseTo(4 - 0.8, 12)
})

test('reading: in open loop the ratio is served over offered', () => {
  const reading = readLevel(
    levelWith({ kind: 'open-loop', ratePerS: 16, outputTokensPerS: 1687.9, tpotMs: latency({ p50: 79.42 }) }),
    128,
  )
  expect(reading.littlesLawRatio).toBeCloseTo(1687.9 / 128 / 16, 12)
  expect(reading.decodeBatch).toBeCloseTo((1687.9 / 128) * 127 * 0.07942, 9)
})

test('reading: without any TPOT the median gap stands for it, a higher percentile of gaps never does', () => {
  const level = { concurrency: 10, requestsPerS: 4, ttftMs: latency({ p50: 500 }) }
  const reading = readLevel(levelWith({ ...level, gapMs: latency({ p50: 20, p95: 90 }) }), 101)
  expect([reading.tpotMs, reading.statistic, reading.tpotSource]).toEqual([20, 'p50', 'gaps'])
  expect(reading.littlesLawRatio).toBeNull()
  expect(reading.decodeBatch).toBeCloseTo(10 - 4 * 0.5, 12)
  expect(readLevel(levelWith({ ...level, gapMs: latency({ p95: 90 }) }), 101).tpotMs).toBeNull()
  const both = readLevel(
    levelWith({ ...level, tpotMs: latency({ p50: 21 }), gapMs: latency({ p50: 20 }) }),
    101,
  )
  expect([both.tpotMs, both.tpotSource]).toEqual([21, 'column'])
})

test('reading: TPOT that the source does not give follows from E2E, else from Little’s law', () => {
  const fromE2e = readLevel(
    levelWith({
      concurrency: 4,
      requestsPerS: 2,
      ttftMs: latency({ mean: 500 }),
      e2eMs: latency({ mean: 2000 }),
    }),
    101,
  )
  expect(fromE2e).toMatchObject({ tpotMs: 15, tpotSource: 'e2e' })
  // 4 clients at 2/s spend 2 s each: 1.5 s of it decoding. The ratio cannot be checked with what it gave.
  const fromLaw = readLevel(
    levelWith({ concurrency: 4, requestsPerS: 2, ttftMs: latency({ mean: 500 }) }),
    101,
  )
  expect(fromLaw).toMatchObject({ tpotMs: 15, tpotSource: 'flow', littlesLawRatio: null })
})
