import { parseTargetPolicy } from '@loadcurve/core/plan/target-policy'
import { validatePlan } from '@loadcurve/core/plan/validate'
import { Settings } from 'typebox/system'
import { expect, test } from 'vitest'

const target = { baseUrl: 'http://127.0.0.1:8000/v1', model: 'm' }
const least = { name: 'least', target }
const loopbackOnly = parseTargetPolicy('')

const faults = (input: unknown, policy = null as Parameters<typeof validatePlan>[1]) =>
  validatePlan(input, policy).violations.map(({ path, code }) => `${path}: ${code}`)

test('validate: a valid plan comes back resolved', () => {
  const validation = validatePlan(least, loopbackOnly)
  expect(validation.ok && validation.plan.sweep.step.minRequests).toBe(60)
  expect(validation.violations).toEqual([])
})

test('validate: ten faults give ten violations, of schema, contradictions and policy together', () => {
  const plan = {
    name: '',
    target: {
      baseUrl: 'http://169.254.169.254/v1',
      endpoint: 'chatt',
      headers: { Authorization: 'Bearer x' },
    },
    workload: { profile: 'interactive', inputTokns: { mean: 5 }, outputTokens: { mean: 10, min: 20 } },
    sweep: { concurrency: [0], step: { minDurationS: 50, maxDurationS: 5 } },
    slo: [{ metric: 'ttft', percentile: 95, maxMs: -1 }],
    demand: { peakRequestsPerS: 4, users: 9 },
    seed: 1.5,
  }
  const found = faults(plan, loopbackOnly)
  expect(found.toSorted()).toEqual(
    [
      'name: out-of-range',
      'target.model: missing-field',
      'target.endpoint: not-a-choice',
      'target.baseUrl: target-metadata',
      'target.headers.Authorization: secret-in-plan',
      'workload.inputTokns: unknown-field',
      'workload.outputTokens: bounds-inverted',
      'sweep.concurrency[0]: out-of-range',
      'sweep.step.minDurationS: bounds-inverted',
      'slo[0].maxMs: out-of-range',
      'demand: demand-form',
      'seed: wrong-type',
    ].toSorted(),
  )
})

test('validate: more faults than the schema library reports by default, all reported, and its setting restored', () => {
  const before = Settings.Get().maxErrors
  const headers = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`x-${index}`, index]))
  expect(faults({ ...least, target: { ...target, headers } })).toHaveLength(40)
  expect(Settings.Get().maxErrors).toBe(before)
})

test('validate: an unknown field is named, with the field that was probably meant', () => {
  const [violation] = validatePlan({ ...least, sweep: { concurency: [1] } }, null).violations
  expect(violation).toEqual({
    path: 'sweep.concurency',
    code: 'unknown-field',
    message: 'sweep.concurency is not a field of a plan',
    whatToDo: 'Did you mean concurrency?',
  })
})

test('validate: a message quotes the value and says what belongs there', () => {
  const [violation] = validatePlan({ ...least, workload: { thinkTimeS: 'long' } }, null).violations
  expect(violation?.message).toBe('workload.thinkTimeS must be a number, got "long"')
  expect(violation?.whatToDo).toContain('pause between an answer and the next request')
})

test.each([[null], [3], ['plan'], [[]], [undefined]])('validate: %j is no plan', (input) => {
  expect(faults(input)).toEqual([': wrong-type'])
})

test('validate: a value that may be null is told what is wrong with it, once', () => {
  expect(faults({ ...least, hardware: 3 })).toEqual(['hardware: wrong-type'])
  expect(faults({ ...least, hardware: { gpusPerReplica: 0 } })).toEqual([
    'hardware.gpusPerReplica: out-of-range',
  ])
  expect(faults({ ...least, slo: [{ metric: 'ttft', percentile: 30, maxMs: 1 }] })).toEqual([
    'slo[0].percentile: out-of-range',
  ])
  expect(faults({ ...least, slo: [{ metric: 'ttft', percentile: 'mean', maxMs: 1 }] })).toEqual([])
})

test('validate: nobody is told of a contradiction with a default that replaced a faulty field', () => {
  expect(faults({ ...least, sweep: { step: { minDurationS: 'x', maxDurationS: 5 } } })).toEqual([
    'sweep.step.minDurationS: wrong-type',
  ])
})

test('validate: the input is left as it is', () => {
  const input = { ...least, name: 3, slo: [{}], surprise: { deep: [1] } }
  const before = JSON.stringify(input)
  validatePlan(input, null)
  expect(JSON.stringify(input)).toBe(before)
})

test.each([
  'target.baseUrl',
  'target.metricsUrl',
  'target.tokenizeUrl',
  'sweep.batch.controlUrl',
  'sweep.batch.readyUrl',
])('validate: %s goes through the target policy', (path) => {
  const urls = (url: string) => ({
    ...least,
    target: { ...target, ...(path.startsWith('target') ? { [path.slice(7)]: url } : {}) },
    sweep: {
      batch: {
        control: 'server',
        levels: [4],
        controlUrl: 'http://127.0.0.1:1/',
        readyUrl: 'http://127.0.0.1:1/',
        ...(path.startsWith('sweep') ? { [path.slice(12)]: url } : {}),
      },
    },
  })
  expect(faults(urls('http://10.0.0.1/'), loopbackOnly)).toEqual([`${path}: target-not-allowed`])
  expect(faults(urls('http://10.0.0.1/'), null)).toEqual([])
  expect(faults(urls('http://u:p@127.0.0.1/'), null)).toEqual([`${path}: url-userinfo-refused`])
  expect(faults(urls('http://127.0.0.1:9/x'), loopbackOnly)).toEqual([])
})

test('validate: a key that was pasted into the plan is not repeated', () => {
  const pasted = {
    ...least,
    target: {
      ...target,
      apiKeyRef: 'sk-planted-key',
      headers: { 'X-Api-Key': 'sk-planted-key', 'x-a': { b: 'sk-planted-key' } },
    },
  }
  const { violations } = validatePlan(pasted, null)
  expect(violations.map(({ path, code }) => `${path}: ${code}`).toSorted()).toEqual([
    'target.apiKeyRef: malformed',
    'target.headers.X-Api-Key: secret-in-plan',
    'target.headers.x-a: wrong-type',
  ])
  expect(JSON.stringify(violations)).not.toContain('planted')
})
