import { arrivalProcessOf } from '@loadcurve/core/load/plan-arrivals'
import type { Plan } from '@loadcurve/core/plan/schema'
import { expect, test } from 'vitest'

const arrival: Plan['workload']['arrival'] = {
  process: 'poisson',
  cv: 2,
  rampFromFraction: 0.5,
  rampToFraction: 1.5,
  trace: null,
}
const level = { ratePerS: 4, stepMs: 30_000 }

test('plan arrivals: each process takes what it needs from the plan and the level', () => {
  expect(arrivalProcessOf(arrival, level)).toEqual({ process: 'poisson', ratePerS: 4 })
  expect(arrivalProcessOf({ ...arrival, process: 'constant' }, level)).toEqual({
    process: 'constant',
    ratePerS: 4,
  })
  expect(arrivalProcessOf({ ...arrival, process: 'gamma' }, level)).toEqual({
    process: 'gamma',
    ratePerS: 4,
    cv: 2,
  })
  const ramp = { process: 'ramp', fromPerS: 2, toPerS: 6, rampMs: 30_000 }
  expect(arrivalProcessOf({ ...arrival, process: 'ramp' }, level)).toEqual(ramp)
})

test('plan arrivals: a trace is stretched to the rate of the level', () => {
  const at = (atS: number) => ({ atS, inputTokens: null, outputTokens: null })
  const trace = { file: null, arrivals: [at(10), at(11), at(13)] }
  // Two gaps in 3 s are 2/3 per second; at 4 per second they take 500 ms.
  const process = arrivalProcessOf({ ...arrival, process: 'trace', trace }, level)
  expect(process).toEqual({ process: 'trace', offsetsMs: [0, 500 / 3, 500], repeat: true })
})

test('plan arrivals: a trace without a duration is refused', () => {
  expect(() => arrivalProcessOf({ ...arrival, process: 'trace' }, level)).toThrow('got 0 arrivals')
})
