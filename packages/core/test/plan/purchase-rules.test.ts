import { expect, test } from 'vitest'
import { faultsOf } from './faults.ts'

const slo = (metric: string, percentile: number | 'mean' = 95) => ({ metric, percentile, maxMs: 100 })
const demand = (fields: object) => faultsOf({ demand: fields })
const trafficClass = {
  name: 'chat',
  peakRequestsPerS: 1,
  inputTokens: { mean: 5 },
  outputTokens: { mean: 5 },
  slo: [],
}

test('purchase rules: a promise can be measured', () => {
  expect(faultsOf({ slo: [slo('ttft'), slo('e2e')], target: { stream: false } })).toEqual([
    'slo[0]: slo-needs-stream',
  ])
  expect(faultsOf({ slo: [slo('validJson')] })).toEqual(['slo[0]: slo-needs-json'])
  expect(faultsOf({ slo: [slo('validJson')], workload: { expectJson: true } })).toEqual([])
  expect(faultsOf({ slo: [slo('ttft'), slo('ttft', 99), slo('ttft')] })).toEqual(['slo[2]: slo-repeated'])
})

test('purchase rules: demand comes in exactly one form', () => {
  expect(demand({})).toEqual(['demand: demand-form'])
  expect(demand({ users: 3, thinkTimeS: 1, job: { requests: 1, deadlineS: 1 } })).toEqual([
    'demand: demand-form',
  ])
  expect(demand({ users: 3 })).toEqual(['demand.thinkTimeS: missing-field'])
  expect(demand({ users: 3, thinkTimeS: 0 })).toEqual([])
  expect(demand({ peakRequestsPerS: 3, thinkTimeS: 0 })).toEqual(['demand.thinkTimeS: field-unused'])
  expect(demand({ peakRequestsPerS: 3, meanRequestsPerS: 4 })).toEqual([
    'demand.meanRequestsPerS: bounds-inverted',
  ])
  expect(demand({ users: 3, thinkTimeS: 1, meanRequestsPerS: 4 })).toEqual([
    'demand.meanRequestsPerS: field-unused',
  ])
  expect(demand({ hourlyRequestsPerS: new Array(23).fill(1) })).toEqual([
    'demand.hourlyRequestsPerS: out-of-range',
  ])
})

test('purchase rules: no traffic at all is no demand', () => {
  expect(demand({ peakRequestsPerS: 0 })).toEqual(['demand.peakRequestsPerS: demand-empty'])
  expect(demand({ hourlyRequestsPerS: new Array(24).fill(0) })).toEqual([
    'demand.hourlyRequestsPerS: demand-empty',
  ])
})

test('purchase rules: classes carry lengths of their own', () => {
  expect(demand({ classes: [trafficClass] })).toEqual([])
  expect(demand({ classes: [{ ...trafficClass, outputTokens: { mean: 5, max: 4 } }] })).toEqual([
    'demand.classes[0].outputTokens: bounds-inverted',
  ])
})

test('purchase rules: a node that may fail has a size', () => {
  expect(faultsOf({ hardware: { failureDomain: 'node' } })).toEqual(['hardware.gpusPerNode: missing-field'])
  expect(faultsOf({ hardware: { failureDomain: 'node', gpusPerNode: 8 } })).toEqual([])
})
