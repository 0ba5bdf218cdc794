import { scaledLaw, shapedDraw, shapedLaw } from '@loadcurve/core/capacity/step-shape'
import { stepTimeMs } from '@loadcurve/core/fit/law'
import { seededRandom, standardNormal } from '@loadcurve/core/random'
import { describe, expect, test } from 'vitest'
import { column, linearLaw } from './law-fixture.ts'

const batches = [0.9, 1.8, 2.8, 3.7, 4.7, 5.7, 7.6]
const pointsOf = (stepMs: (batch: number) => number) =>
  batches.map((decodeBatch) => ({
    concurrency: Math.ceil(decodeBatch),
    decodeBatch,
    requestsPerS: 1,
    ttftMs: column(),
    tpotMs: column({ p50: stepMs(decodeBatch) }),
  }))
// Medians of data/llamacpp_small_closed.csv by decode batch: concave at the start.
const concave = pointsOf(
  (batch) => [8.28, 13.8, 16.95, 20.72, 24.56, 27.73, 35.69][batches.indexOf(batch)] ?? 0,
)

describe('step shape', () => {
  test('a server that is concave at the start is joined through its levels', () => {
    const { law, shape } = shapedLaw(linearLaw({ baseMs: 6.5, slopeMs: 3.85 }), concave, 8)
    expect(shape).toBe('measured')
    for (const { decodeBatch, tpotMs } of concave)
      expect(stepTimeMs(law, decodeBatch)).toBeCloseTo(tpotMs.p50 ?? 0, 9)
    expect(stepTimeMs(law, 0)).toBeGreaterThanOrEqual(8.28 / 2)
    expect(stepTimeMs(law, 8)).toBeCloseTo(35.69 + 0.4 * 3.85, 9)
  })

  test('a straight server with noise keeps its fit, whose parameters average over the levels', () => {
    const random = seededRandom(4)
    const noisy = pointsOf((batch) => (10 + 0.5 * batch) * (1 + 0.02 * standardNormal(random)))
    expect(shapedLaw(linearLaw(), noisy, 8)).toEqual({ law: linearLaw(), shape: 'fitted' })
  })

  test('levels that fall, or are few, are never joined', () => {
    expect(shapedLaw(linearLaw(), concave.slice(0, 3), 8).shape).toBe('fitted')
    expect(
      shapedLaw(
        linearLaw(),
        pointsOf((batch) => 20 - batch),
        8,
      ).shape,
    ).toBe('fitted')
  })

  test('a fit of means is scaled to the medians that the levels show', () => {
    const points = pointsOf((batch) => 10 + 0.5 * batch).map((point) => ({
      ...point,
      tpotMs: column({ p50: point.tpotMs.p50, mean: (point.tpotMs.p50 ?? 0) / 0.95 }),
    }))
    const { law } = shapedLaw(scaledLaw(linearLaw(), 1 / 0.95), points, 8)
    expect(stepTimeMs(law, 4)).toBeCloseTo(12, 9)
  })

  test('a draw moves the joined levels by its own ratio to the estimate', () => {
    const estimate = linearLaw({ baseMs: 6.5, slopeMs: 3.85 })
    const shaped = shapedLaw(estimate, concave, 8).law
    const moved = shapedDraw(shaped, estimate, scaledLaw(estimate, 1.1))
    expect(stepTimeMs(moved, 3)).toBeCloseTo(1.1 * stepTimeMs(shaped, 3), 9)
    expect(stepTimeMs(shapedDraw(estimate, estimate, scaledLaw(estimate, 1.1)), 3)).toBeCloseTo(
      1.1 * 18.05,
      9,
    )
  })
})
