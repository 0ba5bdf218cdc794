import fc from 'fast-check'
import { expect, test } from 'vitest'
import { closedLoopPoint, concurrencyAt } from '../../src/fit/closed-loop.ts'
import type { StepLaw } from '../../src/fit/law.ts'
import { referenceLaw } from './reference-law.ts'

test('closed loop: reproduces the reference predictions of the main oracle', () => {
  const predicted = [1, 5, 25, 50, 100, 150, 200, 250].map((concurrency) =>
    closedLoopPoint(referenceLaw, { concurrency, outputTokens: 500 }),
  )
  // Output tokens/s, TTFT and TPOT as the reference prints them: one, no and two decimals.
  const tokens = [51.6, 219.3, 622.5, 806.3, 922.6, 922.6, 922.6, 922.6]
  const ttft = [455, 489, 659, 874, 7893, 34989, 62085, 89182]
  const tpot = [18.5, 21.87, 38.92, 60.39, 92.78, 92.78, 92.78, 92.78]
  predicted.forEach((point, index) => {
    expect(Math.abs(point.requestsPerS * 500 - (tokens[index] ?? 0))).toBeLessThanOrEqual(0.06)
    expect(Math.abs(point.ttftMs / (ttft[index] ?? 0) - 1)).toBeLessThan(0.002)
    expect(Math.abs(point.tpotMs - (tpot[index] ?? 0))).toBeLessThanOrEqual(0.006)
  })
})

test('closed loop: Little’s law holds at every concurrency, with and without think time', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.5, max: 1000, noNaN: true }),
      fc.constantFrom(0, 300, 20_000),
      (concurrency, thinkTimeMs) => {
        const point = closedLoopPoint(referenceLaw, { concurrency, outputTokens: 500, thinkTimeMs })
        const residenceS = (point.ttftMs + 499 * point.tpotMs + thinkTimeMs) / 1000
        expect((point.requestsPerS * residenceS) / concurrency).toBeCloseTo(1, 9)
        expect(point.batch).toBeLessThanOrEqual(85.4352 + 1e-9)
      },
    ),
  )
})

test('closed loop: beyond saturation every client adds 1/X to TTFT', () => {
  const at = (concurrency: number) => closedLoopPoint(referenceLaw, { concurrency, outputTokens: 500 })
  const added = at(201).ttftMs - at(200).ttftMs
  expect(added).toBeCloseTo(1000 / at(200).requestsPerS, 6)
  // Measured between 100 and 250 clients: (88605 − 7996) / 150 = 537.4 ms.
  expect(Math.abs(added / 537.4 - 1)).toBeLessThan(0.015)
})

test('closed loop: concurrencyAt undoes the point, for every form', () => {
  const laws: StepLaw[] = [
    { ...referenceLaw, saturationBatch: null },
    { ...referenceLaw, saturationBatch: null, form: 'sqrt', shapeMs: 4 },
    { ...referenceLaw, saturationBatch: null, form: 'moe', shapeMs: 30, expertFraction: 1 / 32 },
  ]
  for (const law of laws) {
    const point = closedLoopPoint(law, { concurrency: 37, outputTokens: 500 })
    expect(concurrencyAt(law, { batch: point.batch, steps: 499, thinkTimeMs: 0 })).toBeCloseTo(37, 9)
  }
})

test('closed loop: a concurrency of zero or a single output token is a mistake of the caller', () => {
  expect(() => closedLoopPoint(referenceLaw, { concurrency: 0, outputTokens: 500 })).toThrow('got 0')
  expect(() => closedLoopPoint(referenceLaw, { concurrency: 1, outputTokens: 1 })).toThrow('got 1')
})
