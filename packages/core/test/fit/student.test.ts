import { expect, test } from 'vitest'
import { studentQuantile } from '../../src/fit/student.ts'

test('student: the printed table', () => {
  const table: [number, number, number][] = [
    [0.9, 1, 6.3138],
    [0.9, 2, 2.92],
    [0.9, 3, 2.3534],
    [0.9, 5, 2.015],
    [0.9, 8, 1.8595],
    [0.9, 30, 1.6973],
    [0.95, 2, 4.3027],
    [0.95, 10, 2.2281],
    [0.99, 5, 4.0321],
  ]
  for (const [coverage, degrees, expected] of table) {
    expect(studentQuantile({ coverage, degrees })).toBeCloseTo(expected, 3)
  }
})

test('student: many degrees of freedom are normal', () => {
  expect(studentQuantile({ coverage: 0.9, degrees: 1e4 })).toBeCloseTo(1.6449, 2)
})

test('student: nonsense is refused', () => {
  expect(() => studentQuantile({ coverage: 1, degrees: 3 })).toThrow('got 1')
  expect(() => studentQuantile({ coverage: 0.9, degrees: 0 })).toThrow('got 0')
  expect(() => studentQuantile({ coverage: 0.9, degrees: 2.5 })).toThrow('got 2.5')
})
