import { separatorOf } from '@loadcurve/core/fit/separator'
import { expect, test } from 'vitest'

test.each([
  ['concurrency,ttft_ms\n1,2', ','],
  ['concurrency;ttft_ms;tpot_ms\n1;2,5;3', ';'],
  ['# a, comment, with, commas\n\nconcurrency\tttft_ms\n1\t2', '\t'],
  ['concurrency', ','],
  ['', ','],
])('separator of %j', (text, separator) => {
  expect(separatorOf(text)).toBe(separator)
})
