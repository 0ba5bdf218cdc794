import { OUTCOMES } from '@loadcurve/core/metrics/sample'
import { expect, test } from 'vitest'

test('outcomes: HTTP 200 is not enough, and each way to fail has a name of its own', () => {
  expect(new Set(OUTCOMES).size).toBe(OUTCOMES.length)
  expect(OUTCOMES).toEqual(
    expect.arrayContaining(['ok', 'in_band_error', 'truncated', 'empty', 'dropped', 'cancelled']),
  )
})
