import { expect, test } from 'vitest'
import { RecentValues } from '../src/recent-values.ts'

test('recent values: the median is of the last 200, in whatever order they came', () => {
  const recent = new RecentValues()
  expect(recent.median()).toBeNull()
  for (const value of [9, 1, 5]) recent.record(value)
  expect(recent.median()).toBe(5)
  // 200 values 1000 ... 1199 push the old ones out; their lower median is the hundredth.
  for (let offset = 199; offset >= 0; offset--) recent.record(1000 + offset)
  expect(recent.median()).toBe(1099)
})
