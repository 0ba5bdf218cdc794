import { isServiceReady } from '@loadcurve/core/run/service-message'
import { expect, test } from 'vitest'

test('service message: only a ready message is one', () => {
  expect(isServiceReady({ type: 'ready', url: null })).toBe(true)
  for (const other of [null, undefined, 'ready', {}, { type: 'failed' }])
    expect(isServiceReady(other)).toBe(false)
})
