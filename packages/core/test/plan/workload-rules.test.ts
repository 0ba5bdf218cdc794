import { expect, test } from 'vitest'
import { faultsOf } from './faults.ts'

const arrival = (fields: object) => faultsOf({ workload: { arrival: fields } })

test('workload rules: min <= mean <= max', () => {
  expect(faultsOf({ workload: { inputTokens: { mean: 10, max: 9 } } })).toEqual([
    'workload.inputTokens: bounds-inverted',
  ])
  expect(faultsOf({ workload: { outputTokens: { mean: 10, min: 11 } } })).toEqual([
    'workload.outputTokens: bounds-inverted',
  ])
  expect(faultsOf({ workload: { outputTokens: { mean: 10, min: 10, max: 10 } } })).toEqual([])
})

test('workload rules: a shared prefix leaves something of the prompt', () => {
  const workload = { inputTokens: { mean: 100 }, sharedPrefixTokens: 100 }
  expect(faultsOf({ workload })).toEqual(['workload.sharedPrefixTokens: prefix-longer-than-prompt'])
  expect(faultsOf({ workload: { ...workload, sharedPrefixTokens: 99 } })).toEqual([])
})

test('workload rules: a trace has exactly one source, in order, with time in it', () => {
  const at = (...instants: number[]) =>
    instants.map((atS) => ({ atS, inputTokens: null, outputTokens: null }))
  const path = 'workload.arrival.trace'
  expect(arrival({ process: 'trace' })).toEqual([`${path}: trace-missing`])
  expect(arrival({ process: 'trace', trace: {} })).toEqual([`${path}: trace-missing`])
  expect(arrival({ process: 'trace', trace: { file: 'a.csv', arrivals: at(0, 1) } })).toEqual([
    `${path}: trace-missing`,
  ])
  expect(arrival({ process: 'poisson', trace: { file: 'a.csv' } })).toEqual([`${path}: trace-unused`])
  expect(arrival({ process: 'trace', trace: { arrivals: at(0, 2, 1) } })).toEqual([
    `${path}.arrivals[2].atS: not-in-order`,
  ])
  expect(arrival({ process: 'trace', trace: { arrivals: at(3, 3) } })).toEqual([
    `${path}.arrivals: trace-without-time`,
  ])
  expect(arrival({ process: 'trace', trace: { arrivals: at(0, 0, 1) } })).toEqual([])
})

test.each(['/etc/passwd', '../up.csv', 'a/../../b', 'a//b', '.hidden', 'C:\\x', ''])(
  'workload rules: the file %s leaves the data folder',
  (file) => expect(arrival({ process: 'trace', trace: { file } })).toHaveLength(1),
)

test('workload rules: settings without effect are told', () => {
  expect(arrival({ process: 'poisson', cv: 2 })).toEqual(['workload.arrival.cv: cv-unused'])
  expect(arrival({ process: 'gamma', cv: 2 })).toEqual([])
  expect(arrival({ process: 'ramp', rampFromFraction: 0, rampToFraction: 0 })).toEqual([
    'workload.arrival.rampToFraction: ramp-empty',
  ])
})

test('workload rules: what would fail every request is refused', () => {
  expect(faultsOf({ workload: { failOn: ['length_cut'] } })).toEqual(['workload.failOn: every-request-fails'])
  expect(faultsOf({ workload: { failOn: ['length_cut'], ignoreEos: false } })).toEqual([])
  expect(faultsOf({ workload: { failOn: ['invalid_json'] } })).toEqual([
    'workload.failOn: every-request-fails',
  ])
  expect(faultsOf({ workload: { expectJson: true, ignoreEos: true } })).toEqual([
    'workload.ignoreEos: json-without-end',
  ])
  expect(faultsOf({ workload: { expectJson: true } })).toEqual([])
})
