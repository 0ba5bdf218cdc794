import { resolvePlan } from '@loadcurve/core/plan/resolve'
import type { Plan, PlanInput } from '@loadcurve/core/plan/schema'
import { PlanInputSchema, PlanSchema } from '@loadcurve/core/plan/schema'
import { Value } from 'typebox/value'
import { expect, expectTypeOf, test } from 'vitest'

// The plan that the documentation shows, field for field.
const documented = {
  name: 'llama-3.1-8b on one H100',
  target: {
    baseUrl: 'http://127.0.0.1:8000/v1',
    model: 'meta-llama/Llama-3.1-8B-Instruct',
    endpoint: 'chat',
    apiKeyRef: 'prod',
    metricsUrl: 'http://127.0.0.1:8000/metrics',
    headers: {},
  },
  workload: {
    profile: 'interactive',
    inputTokens: { mean: 512, stdev: 64 },
    outputTokens: { mean: 256, stdev: 32 },
    sharedPrefixTokens: 0,
    ignoreEos: true,
    dataset: null,
    expectJson: false,
    thinkTimeS: 0,
    arrival: { process: 'poisson', cv: 1, trace: null },
  },
  sweep: {
    mode: 'grid',
    concurrency: [1, 2, 4, 8, 16, 32, 64, 128],
    ratesPerS: [],
    batch: { control: 'none', levels: [] },
    step: { residences: 5, minDurationS: 10, maxDurationS: 300, minRequests: 60 },
    order: 'shuffled',
    verify: true,
  },
  slo: [
    { metric: 'ttft', percentile: 95, maxMs: 800 },
    { metric: 'tpot', percentile: 95, maxMs: 40 },
  ],
  demand: { peakRequestsPerS: 40, meanRequestsPerS: 15, burstFactor: 1.3, spareReplicas: 1 },
  hardware: {
    gpu: 'H100-SXM',
    gpusPerReplica: 1,
    pricePerGpuHour: 2.95,
    priceDate: '2026-05-20',
    model: 'Llama-3.1-8B',
  },
  limits: { maxRequests: 50000, maxOutputTokens: 10000000, maxDurationS: 7200, maxErrorFraction: 0.05 },
  seed: 1,
} satisfies PlanInput

test('plan schema: the documented plan is valid, and everything it says survives resolution', () => {
  expect(Value.Errors(PlanInputSchema, documented)).toEqual([])
  expect(resolvePlan(documented)).toMatchObject(documented)
})

test('plan schema: the documented values are the defaults, where a field has one', () => {
  const least = resolvePlan({ name: documented.name, target: { ...documented.target } })
  const { demand: _demand, hardware: _hardware, ...rest } = documented
  expect(least).toMatchObject(rest)
})

test.each([
  [{ users: 200, thinkTimeS: 20 }],
  [{ hourlyRequestsPerS: Array.from({ length: 24 }, (_, hour) => hour) }],
  [{ job: { requests: 1_000_000, deadlineS: 3_600 } }],
])('plan schema: demand may be %j', (demand) => {
  expect(Value.Errors(PlanInputSchema, { ...documented, demand })).toEqual([])
})

test('plan schema: an unknown field is refused at every depth, by name', () => {
  const refused = (path: string[]): string[] => {
    const plan = resolvePlan(documented)
    let place = plan as unknown as Record<string, unknown>
    for (const part of path) place = place[part] as Record<string, unknown>
    place['surprise'] = 1
    return [PlanInputSchema, PlanSchema].map((schema) => JSON.stringify(Value.Errors(schema, plan)))
  }
  const places = [
    [],
    ['target'],
    ['target', 'deadlines'],
    ['target', 'tls'],
    ['target', 'metricsMapping'],
    ['workload'],
  ]
  places.push(
    ['workload', 'inputTokens'],
    ['workload', 'arrival'],
    ['sweep'],
    ['sweep', 'step'],
    ['sweep', 'batch'],
  )
  places.push(['sweep', 'adaptive'], ['demand'], ['hardware'], ['limits'], ['slo', '0'])
  for (const path of places) for (const errors of refused(path)) expect(errors).toContain('"surprise"')
})

test('plan schema: every field describes itself', () => {
  const bare: string[] = []
  const visit = (node: unknown, path: string): void => {
    const { properties, items, anyOf } = node as Record<string, unknown>
    for (const [key, field] of Object.entries(properties ?? {})) {
      const { description } = field as { description?: string }
      if (description === undefined || description.length < 4) bare.push(`${path}/${key}`)
      visit(field, `${path}/${key}`)
    }
    if (items !== undefined) visit(items, `${path}[]`)
    for (const branch of (anyOf ?? []) as unknown[]) visit(branch, path)
  }
  visit(PlanInputSchema, '')
  visit(PlanSchema, '')
  expect(bare).toEqual([])
})

test('plan types: what is resolved has no holes, and a resolved plan is a plan', () => {
  expectTypeOf<Plan['workload']['outputTokens']['distribution']>().toEqualTypeOf<'normal' | 'lognormal'>()
  expectTypeOf<Plan['target']['deadlines']['totalMs']>().toEqualTypeOf<number>()
  expectTypeOf<NonNullable<Plan['demand']>['users']>().toEqualTypeOf<number | null>()
  expectTypeOf<
    NonNullable<NonNullable<Plan['demand']>['classes']>[number]['inputTokens']['min']
  >().toEqualTypeOf<number | null>()
  expectTypeOf<NonNullable<Plan['target']['metricsMapping']['series']>['running']>().toEqualTypeOf<
    string | null
  >()
  expectTypeOf<NonNullable<Plan['workload']['arrival']['trace']>['file']>().toEqualTypeOf<string | null>()
  expectTypeOf<Plan>().toExtend<PlanInput>()
})
