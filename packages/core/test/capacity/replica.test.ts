import {
  lengthsRefused,
  prepareReplica,
  type ReplicaQuestion,
  replicaEngine,
} from '@loadcurve/core/capacity/replica'
import { scaledLaw } from '@loadcurve/core/capacity/scaled-law'
import { describe, expect, test } from 'vitest'
import { closedLevel, column, FIXED, fittedLaw, linearLaw } from './law-fixture.ts'

const question: ReplicaQuestion = {
  fitted: fittedLaw(),
  levels: [],
  inputTokens: null,
  outputTokens: null,
  arrival: { process: 'poisson' },
  stepTokens: null,
  kvTokens: null,
  seed: 1,
}

describe('replica', () => {
  test('saturation seen: the decode batch and the prompts in prefill hold the places', () => {
    const law = linearLaw({ saturationBatch: 31 })
    const replica = prepareReplica({ ...question, fitted: fittedLaw({ law }) })
    expect(replica.places).toEqual({ slots: 31, seen: true })
  })

  test('no saturation seen: the places are those of the range that was measured', () => {
    expect(prepareReplica(question).places).toEqual({ slots: 40, seen: false })
  })

  test('slow and fast are the ends of the draws, and model error on top', () => {
    const draws = Array.from({ length: 101 }, (_, index) => scaledLaw(linearLaw(), 0.95 + index / 1000))
    const replica = prepareReplica({ ...question, fitted: fittedLaw({ draws }) })
    const step = (which: 'expected' | 'slow' | 'fast') => replicaEngine(replica, which, 10).decodeMs[0] ?? 0
    // Draws 95 and 5 of 0.95 ... 1.05; a hundredth of model error at least.
    expect(step('slow') / step('expected')).toBeCloseTo(1.045 * 1.01, 9)
    expect(step('fast') / step('expected')).toBeCloseTo(0.955 / 1.01, 9)
  })

  test.each([
    ['inside', FIXED(1050), FIXED(390), null],
    ['answers beyond twice', FIXED(1000), FIXED(420), 'beyond-measured-range'],
    ['answers below half', FIXED(1000), FIXED(90), 'beyond-measured-range'],
    ['prompts beyond', FIXED(1500), FIXED(201), 'beyond-measured-range'],
  ] as const)('lengths %s', (_, inputTokens, outputTokens, refused) => {
    expect(lengthsRefused({ ...question, inputTokens, outputTokens })).toBe(refused)
  })

  test('lengths between measured prompt lengths may be asked', () => {
    const fitted = fittedLaw({ inputTokensRange: [500, 4000] })
    expect(lengthsRefused({ ...question, fitted, inputTokens: FIXED(3000) })).toBeNull()
  })
})

test('replica: one level beyond the places is enough to count them', () => {
  // Eight places: 2.5 requests/s of 200 steps of 14 ms keep seven in decode; 24 clients queue for seconds.
  const levels = [1, 2, 4, 8, 24].map((concurrency) => {
    const batch = Math.min(8, concurrency)
    const tpotMs = 10 + 0.5 * batch
    const requestsPerS = (batch * 1000) / (66 + 200 * tpotMs)
    const queueMs = concurrency > 8 ? (16 * 1000) / requestsPerS : 0
    return closedLevel({
      concurrency,
      requestsPerS,
      ttftMs: column({ p50: 66 + queueMs }),
      tpotMs: column({ p50: tpotMs }),
    })
  })
  expect(prepareReplica({ ...question, levels }).places).toEqual({ slots: 8, seen: true })
  expect(prepareReplica({ ...question, levels: levels.slice(0, 4) }).places.seen).toBe(false)
})

describe('replica: which steps it believes', () => {
  const at = (concurrency: number, tpotMs: number) =>
    closedLevel({
      concurrency,
      requestsPerS: (concurrency * 1000) / (60 + 200 * tpotMs),
      ttftMs: column({ p50: 60 }),
      tpotMs: column({ p50: tpotMs }),
    })

  test('a server in stairs is read off its levels, and its law only moves them', () => {
    const stairs = [1, 2, 4, 8, 12, 16].map((batch) => at(batch, batch <= 4 ? 11 : batch <= 8 ? 16 : 21))
    const replica = prepareReplica({ ...question, levels: stairs })
    expect(replica.knots?.length).toBeGreaterThanOrEqual(4)
    const { decodeMs } = replicaEngine(replica, 'expected', 16)
    expect(decodeMs[4]).toBeLessThan(11)
    expect((decodeMs[8] ?? 0) - (decodeMs[4] ?? 0)).toBeGreaterThan(2.5)
  })

  test('three levels draw no shape: the law stays', () => {
    const few = [1, 4, 16].map((batch) => at(batch, batch < 10 ? 11 : 25))
    expect(prepareReplica({ ...question, levels: few }).knots).toBeNull()
  })
})
