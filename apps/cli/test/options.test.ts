import { expect, test } from 'vitest'
import type { Violation } from '../src/errors.ts'
import { readAssignment, readNumber, readNumbers } from '../src/options.ts'

test('options: a number in its range is read, one that was not given is null', () => {
  const violations: Violation[] = []
  expect(readNumber('--x', '2.5', { min: 0 }, violations)).toBe(2.5)
  expect(readNumber('--x', ' 1e3 ', { min: 0, integer: true }, violations)).toBe(1000)
  expect(readNumber('--x', undefined, { min: 0 }, violations)).toBeNull()
  expect(violations).toEqual([])
})

test.each([
  ['0', { min: 0, minExclusive: true }, 'must be a number more than 0, got "0"'],
  ['-3', { min: 0 }, 'must be a number of at least 0, got "-3"'],
  ['1.5', { min: 1, max: 8, integer: true }, 'must be a whole number of at least 1 and at most 8, got "1.5"'],
  ['9', { min: 1, max: 8, integer: true }, 'must be a whole number of at least 1 and at most 8, got "9"'],
  ['abc', { min: null }, 'must be a number, got "abc"'],
  ['', { min: null }, 'must be a number, got ""'],
  ['0x10', { min: null }, 'must be a number, got "0x10"'],
  ['Infinity', { min: null }, 'must be a number, got "Infinity"'],
  ['9007199254740993', { min: null, integer: true }, 'must be a whole number, got "9007199254740993"'],
])('options: %s is refused', (text, range, message) => {
  const violations: Violation[] = []
  expect(readNumber('--x', text, range, violations)).toBeNull()
  expect(violations).toEqual([{ path: '--x', message }])
})

test('options: every wrong number of a list is named', () => {
  const violations: Violation[] = []
  expect(readNumbers('--rates', '0.5,x,2,', { min: 0, minExclusive: true }, violations)).toEqual([0.5, 2])
  expect(violations.map(({ message }) => message)).toEqual([
    'must be a number more than 0, got "x"',
    'must be a number more than 0, got ""',
  ])
})

test('options: an assignment is cut at its first equals sign', () => {
  const violations: Violation[] = []
  expect(readAssignment('--column', 'ttft_ms=a=b', violations)).toEqual({ name: 'ttft_ms', value: 'a=b' })
  expect(violations).toEqual([])
  for (const text of ['ttft_ms', '=b', 'a=']) expect(readAssignment('--column', text, violations)).toBeNull()
  expect(violations).toHaveLength(3)
})
