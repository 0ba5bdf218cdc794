import { expect, test } from 'vitest'
import { didYouMean } from '../src/suggest.ts'

const names = ['H100-SXM', 'H200-SXM', 'A100-80GB-SXM', 'L4', 'MI300X']

test.each([
  ['h100', ' Did you mean H100-SXM?'],
  ['H100SMX', ' Did you mean H100-SXM or H200-SXM?'],
  ['MI300', ' Did you mean MI300X?'],
  ['abacus', ''],
  ['', ''],
])('suggest: for "%s"%s', (word, answer) => {
  expect(didYouMean(word, names)).toBe(answer)
})
