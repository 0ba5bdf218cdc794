import { expect, test } from 'vitest'
import { KNOWN_LAWS } from './known-laws.ts'
import { recover } from './recovery.ts'

test.each(KNOWN_LAWS)('recovery over 200 seeds: $name', (known) => {
  const record = recover(known, 200)
  expect(record.coveredShare).toBeGreaterThanOrEqual(0.85)
  expect(record.inconclusiveShare).toBeLessThanOrEqual(0.1)
  expect(record.medianWidthFraction).toBeLessThanOrEqual(0.25)
  expect(record.leastThroughputFraction).toBeGreaterThanOrEqual(0.9)
  expect(record.worstExcessFraction).toBeLessThanOrEqual(0.03)
})
