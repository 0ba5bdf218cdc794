import type { LawInputs } from '@loadcurve/core/metrics/littles-law'
import { littlesLaw, nominalInFlight } from '@loadcurve/core/metrics/littles-law'
import { expect, test } from 'vitest'

// 10 slots, 2 s a request: 5 requests/s.
const inputs: LawInputs = {
  nominal: 10,
  achieved: 10,
  requestsPerS: 5,
  requestsPerSDerived: false,
  completions: 1_000_000,
  residenceS: 2,
  thinkTimeS: 0,
  onServer: null,
}
const nominal = (achieved: number) =>
  littlesLaw({ ...inputs, achieved, requestsPerS: achieved / 2 }).nominal.code

test('Little’s law: the thresholds of the nominal concurrency', () => {
  expect([10, 9.71, 9.69, 9.01, 8.99].map(nominal)).toEqual([
    null,
    null,
    'nominal-not-trusted',
    'nominal-not-trusted',
    'concurrency-not-reached',
  ])
  expect(littlesLaw(inputs)).toMatchObject({ ratio: 1, holds: true })
  expect(littlesLaw({ ...inputs, achieved: 9.5 })).toMatchObject({ ratio: 0.95, holds: false })
})

test('Little’s law: a published table that never passed 49.8 in flight at nominal 64 loses that level', () => {
  const found = littlesLaw({ ...inputs, nominal: 64, achieved: 49.8, requestsPerS: 49.8 / 2 })
  expect(found.nominal.code).toBe('concurrency-not-reached')
  expect(found.ratio).toBeCloseTo(0.778, 3)
})

test('Little’s law: with think time a slot is in flight for R of every R + Z', () => {
  // N = X*(R + Z): 10 slots, 2 s in flight, 3 s of thought make X = 2 and L = 4.
  const thinking = { ...inputs, thinkTimeS: 3, requestsPerS: 2, achieved: 4 }
  expect(nominalInFlight({ concurrency: 10, residenceS: 2, thinkTimeS: 3 })).toBe(4)
  expect(littlesLaw(thinking)).toMatchObject({ ratio: 1, holds: true })
  expect(littlesLaw({ ...thinking, residenceS: null }).nominal).toEqual({ ratio: null, code: null })
})

test('Little’s law: derived throughput checks nothing, so its ratio is null and not 1', () => {
  const derived = littlesLaw({ ...inputs, nominal: null, requestsPerSDerived: true })
  expect(derived).toMatchObject({ ratio: null, holds: null })
})

test('Little’s law: in open loop the ratio is X*R over L, and only catches windows too short', () => {
  const open = { ...inputs, nominal: null }
  expect(littlesLaw(open)).toMatchObject({ ratio: 1, holds: true })
  expect(littlesLaw({ ...open, achieved: 7 })).toMatchObject({
    holds: false,
    identity: { code: 'littles-law-violated' },
  })
})

test('Little’s law: the noise of few completions is no violation', () => {
  // 25 completions of Poisson traffic: X is known to 20 %, three times that is let pass.
  const few = { ...inputs, nominal: null, achieved: 7 }
  expect(littlesLaw({ ...few, completions: 25 }).identity.code).toBeNull()
  expect(littlesLaw({ ...few, completions: 10_000 }).identity.code).toBe('littles-law-violated')
})

test('Little’s law: more on the server than ours is foreign traffic, when it is sure', () => {
  const onServer = (mean: number, standardError: number) =>
    littlesLaw({ ...inputs, onServer: { mean, standardError } }).server
  expect(onServer(10.4, 0.1)).toEqual({ ratio: 1.04, code: null })
  expect(onServer(12, 0.1)).toEqual({ ratio: 1.2, code: 'foreign-traffic' })
  expect(onServer(12, 0.5).code).toBeNull()
  // Fewer than ours is normal: requests on their way, or a server that counts differently.
  expect(onServer(7, 0.1).code).toBeNull()
})

test('Little’s law: what is unknown stays unknown', () => {
  const unknown = littlesLaw({ ...inputs, achieved: null, requestsPerS: null, residenceS: null })
  expect(unknown).toMatchObject({ ratio: null, holds: null })
  expect(
    littlesLaw({ ...inputs, achieved: 0, onServer: { mean: 1, standardError: 0 } }).server.ratio,
  ).toBeNull()
})
