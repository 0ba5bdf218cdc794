import { scaledLaw, typicalFactor } from '@loadcurve/core/capacity/scaled-law'
import { stepTimeMs } from '@loadcurve/core/fit/law'
import { expect, test } from 'vitest'
import { column, linearLaw } from './law-fixture.ts'

test('scaled law: every step time is multiplied, whatever the form', () => {
  const knots = [
    { batch: 1, stepMs: 10 },
    { batch: 4, stepMs: 16 },
  ]
  for (const law of [linearLaw({ form: 'sqrt', shapeMs: 3 }), linearLaw({ form: 'isotonic', knots })]) {
    for (const batch of [1, 2, 4]) {
      expect(stepTimeMs(scaledLaw(law, 1.1), batch)).toBeCloseTo(1.1 * stepTimeMs(law, batch), 12)
    }
  }
})

test('typical factor: the median of p50 over mean, and 1 where no level has both', () => {
  const point = (p50: number | null) => ({
    concurrency: 1,
    decodeBatch: 1,
    requestsPerS: 1,
    ttftMs: column(),
    tpotMs: column({ mean: 100, p50 }),
  })
  expect(typicalFactor([point(90), point(99), point(60)])).toBe(0.9)
  expect(typicalFactor([point(null)])).toBe(1)
})
