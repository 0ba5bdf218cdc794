import { expect, test } from 'vitest'
import { lawViolations } from '../../src/model/law-violations.ts'
import { PRESETS } from '../../src/presets/presets.ts'

test.each(Object.values(PRESETS))('law violations: preset $name has none', ({ law }) => {
  expect(lawViolations({ ...law })).toEqual([])
})

test('law violations: every wrong part is named with its value', () => {
  const law = {
    ...PRESETS.small.law,
    baseMs: 0,
    perSequenceMs: 'x',
    experts: { scaleMs: 1, activeFraction: 2 },
    capturedBatches: [4, 2],
    prefill: { perPromptMs: 1 },
    maxNumBatchedTokens: 8,
    kv: { blocks: 1.5, blockTokens: 16, size: 3 },
    prefixCache: 'yes',
    noise: null,
    hiccup: { everyMs: 0, pauseMs: -1 },
    color: 'red',
  }
  expect(Object.fromEntries(lawViolations(law).map(({ path, message }) => [path, message]))).toEqual({
    baseMs: 'must be a positive number, got 0',
    perSequenceMs: 'must be a number >= 0, got "x"',
    experts: 'activeFraction must be above 0 and at most 1, got {"scaleMs":1,"activeFraction":2}',
    capturedBatches: 'must be an increasing array of whole numbers >= 1, got [4,2]',
    prefill:
      'perTokenMs must be a number >= 0; perTokenSquaredMs must be a number >= 0, got {"perPromptMs":1}',
    maxNumBatchedTokens: 'must be null or a whole number not below max_num_seqs (16), got 8',
    kv: 'blocks must be a whole number >= 1; size is not known, got {"blocks":1.5,"blockTokens":16,"size":3}',
    prefixCache: 'must be true or false, got "yes"',
    noise: 'must be an object with stepCv, prefillCv, got null',
    hiccup:
      'everyMs must be a positive number; pauseMs must be a number >= 0, got {"everyMs":0,"pauseMs":-1}',
    color: `a law has no such part; it has ${Object.keys(PRESETS.small.law).sort().join(', ')}`,
  })
})
