import { expect, test } from 'vitest'
import type { SloLimit } from '../../src/capacity/slo-limits.ts'
import { zeroLoadVerdict } from '../../src/capacity/zero-load.ts'
import { referenceLaw } from '../fit/reference-law.ts'

// At a batch of one the draws lie between 18.04 and 19.04 ms.
const draws = Array.from({ length: 101 }, (_, index) => ({ ...referenceLaw, baseMs: 17.161 + index / 100 }))
const limit = (maxMs: number): SloLimit => ({
  slo: { metric: 'tpot', percentile: 'mean', maxMs },
  binds: 'batch',
  code: 'slo:tpot:mean',
  maxMs,
  curve: referenceLaw,
  draws,
})

test('zero load: above all draws it is met, below all it is missed, between them undecided', () => {
  expect(zeroLoadVerdict(limit(19.1), 1)).toBe('met')
  expect(zeroLoadVerdict(limit(18), 1)).toBe('missed')
  expect(zeroLoadVerdict(limit(18.5), 1)).toBe('undecided')
})

test('zero load: a sweep that starts at four clients does not decide it, unless the promise is far below', () => {
  expect(zeroLoadVerdict(limit(18), 4)).toBe('not-measured')
  // 0.7 of the 5 % draw is 0.7·18.09 = 12.66 ms.
  expect(zeroLoadVerdict(limit(12.7), 4)).toBe('not-measured')
  expect(zeroLoadVerdict(limit(12.6), 4)).toBe('missed')
})
