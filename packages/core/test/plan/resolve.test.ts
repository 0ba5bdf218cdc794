import { resolvePlan } from '@loadcurve/core/plan/resolve'
import type { PlanInput } from '@loadcurve/core/plan/schema'
import { PlanSchema } from '@loadcurve/core/plan/schema'
import { Value } from 'typebox/value'
import { expect, test } from 'vitest'

const minimal: PlanInput = { name: 'least', target: { baseUrl: 'http://127.0.0.1:8000/v1', model: 'm' } }

test('resolve: the least plan becomes a complete interactive one', () => {
  const plan = resolvePlan(minimal)
  expect(Value.Errors(PlanSchema, plan)).toEqual([])
  expect(plan.workload.inputTokens).toEqual({
    mean: 512,
    stdev: 64,
    distribution: 'normal',
    min: null,
    max: null,
  })
  expect(plan.slo).toEqual([
    { metric: 'ttft', percentile: 95, maxMs: 800 },
    { metric: 'tpot', percentile: 95, maxMs: 40 },
  ])
  expect(plan.sweep.concurrency).toEqual([1, 2, 4, 8, 16, 32, 64, 128])
  expect(plan.sweep.step.residences).toBe(5)
  expect(plan.limits.maxRequests).toBe(50_000)
  expect(plan.demand).toBeNull()
  expect(plan.hardware).toBeNull()
  expect(plan.seed).toBe(1)
})

test('resolve: nothing is mutated, and nothing is shared with the profiles', () => {
  const before = JSON.stringify(minimal)
  const first = resolvePlan(minimal)
  const target = first.slo[0]
  if (target !== undefined) target.maxMs = 1
  first.sweep.concurrency.push(999)
  first.target.headers['x'] = 'y'
  expect(JSON.stringify(minimal)).toBe(before)
  expect(resolvePlan(minimal).slo[0]?.maxMs).toBe(800)
  expect(resolvePlan(minimal).sweep.concurrency).not.toContain(999)
  expect(resolvePlan(minimal).target.headers).toEqual({})
})

test('resolve: resolving a resolved plan changes nothing', () => {
  const inputs: PlanInput[] = [
    minimal,
    { ...minimal, sweep: { mode: 'adaptive' } },
    {
      ...minimal,
      sweep: { ratesPerS: [1, 2] },
      demand: { users: 100, thinkTimeS: 30 },
      hardware: { gpu: 'L4' },
    },
    { ...minimal, workload: { expectJson: true, arrival: { process: 'gamma', cv: 2 } } },
    {
      ...minimal,
      demand: {
        classes: [
          {
            name: 'chat',
            peakRequestsPerS: 4,
            inputTokens: { mean: 10 },
            outputTokens: { mean: 20 },
            slo: [],
          },
        ],
      },
    },
  ]
  for (const input of inputs) {
    const plan = resolvePlan(input)
    expect(Value.Errors(PlanSchema, plan)).toEqual([])
    expect(resolvePlan(plan)).toEqual(plan)
  }
})

test.each([
  ['api', 'goodput', [99, 99], [2_000, 100]],
  ['agentic', 'latency', [95], [30_000]],
  ['batch', 'tokens-per-hour', [95], [600_000]],
] as const)(
  'resolve: profile %s brings its promises and objective',
  (profile, objective, percentiles, limits) => {
    const plan = resolvePlan({ ...minimal, workload: { profile } })
    expect(plan.objective).toBe(objective)
    expect(plan.slo.map((target) => target.percentile)).toEqual(percentiles)
    expect(plan.slo.map((target) => target.maxMs)).toEqual(limits)
  },
)

test('resolve: what the plan states wins over the profile', () => {
  const plan = resolvePlan({
    ...minimal,
    workload: { profile: 'batch', outputTokens: { mean: 7 } },
    slo: [],
    objective: 'latency',
  })
  expect(plan.slo).toEqual([])
  expect(plan.objective).toBe('latency')
  expect(plan.workload.outputTokens).toMatchObject({ mean: 7, stdev: 0 })
  expect(plan.workload.inputTokens.mean).toBe(1024)
})

test('resolve: rates alone mean no closed loop; adaptive finds its own levels', () => {
  expect(resolvePlan({ ...minimal, sweep: { ratesPerS: [1] } }).sweep.concurrency).toEqual([])
  expect(resolvePlan({ ...minimal, sweep: { mode: 'adaptive' } }).sweep.concurrency).toEqual([])
  expect(resolvePlan({ ...minimal, sweep: { ratesPerS: [1], concurrency: [3] } }).sweep.concurrency).toEqual([
    3,
  ])
})

test('resolve: who expects JSON fails on invalid JSON unless the plan says otherwise', () => {
  expect(resolvePlan({ ...minimal, workload: { expectJson: true } }).workload.failOn).toEqual([
    'invalid_json',
  ])
  expect(resolvePlan({ ...minimal, workload: { expectJson: true, failOn: [] } }).workload.failOn).toEqual([])
})
