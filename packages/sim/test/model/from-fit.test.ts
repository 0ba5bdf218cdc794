import { expect, test } from 'vitest'
import { lawFromFit } from '../../src/model/from-fit.ts'

const FIT = { baseMs: 10, slopeMs: 0.5, saturationBatch: 40, loneTtftMs: 30, outputTokens: 101 }

test('law from fit: prefill is taken out of the slope, and the own one put into the base', () => {
  const law = lawFromFit(FIT)
  // P = 30 - 10 = 20 over 100 decode steps.
  expect(law.prefill.perPromptMs).toBe(20)
  expect(law.perSequenceMs).toBeCloseTo(0.5 - 0.2, 12)
  expect(law.baseMs).toBeCloseTo(10.2, 12)
  // X = 40 / (100 * 30 ms), so 0.27 prefills are under way: the cap rounds to 40.
  expect(law.maxNumSeqs).toBe(40)
})

test('law from fit: a prefill that the slope cannot hold is refused with the values', () => {
  expect(() => lawFromFit({ ...FIT, loneTtftMs: 200 })).toThrow(
    'a prefill of 190 ms does not fit a slope of 0.5 ms',
  )
  expect(() => lawFromFit({ ...FIT, outputTokens: 1 })).toThrow('outputTokens must exceed 1, got 1')
})
