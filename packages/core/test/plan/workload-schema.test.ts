import { WorkloadInputSchema, WorkloadSchema } from '@loadcurve/core/plan/workload-schema'
import { Value } from 'typebox/value'
import { expect, test } from 'vitest'

const fits = (workload: unknown) => Value.Check(WorkloadInputSchema, workload)

test('workload schema: nothing is required of a person, lengths of the program', () => {
  expect(fits({})).toBe(true)
  expect(Value.Check(WorkloadSchema, Value.Default(WorkloadInputSchema, {}))).toBe(false)
})

test('workload schema: lengths need a mean of at least one token', () => {
  expect(fits({ inputTokens: { mean: 1 } })).toBe(true)
  expect(fits({ inputTokens: { mean: 0 } })).toBe(false)
  expect(fits({ inputTokens: { stdev: 4 } })).toBe(false)
  expect(fits({ inputTokens: { mean: 100, distribution: 'lognormal', stdev: 300, max: 5_000 } })).toBe(true)
})

test('workload schema: all five arrival processes, and no other', () => {
  for (const process of ['constant', 'poisson', 'gamma', 'ramp', 'trace'])
    expect(fits({ arrival: { process } })).toBe(true)
  expect(fits({ arrival: { process: 'weibull' } })).toBe(false)
  expect(fits({ arrival: { process: 'gamma', cv: 0 } })).toBe(false)
})

test('workload schema: files stay inside the data folder', () => {
  expect(fits({ dataset: { file: 'chats/2026-05.jsonl' } })).toBe(true)
  for (const file of ['/etc/passwd', '..', '../x', 'a/../b', 'a//b', './a', '.ssh/id', '']) {
    expect(fits({ dataset: { file } })).toBe(false)
  }
})
