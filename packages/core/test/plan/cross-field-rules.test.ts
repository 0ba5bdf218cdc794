import { CROSS_FIELD_RULES } from '@loadcurve/core/plan/cross-field-rules'
import { resolvePlan } from '@loadcurve/core/plan/resolve'
import { expect, test } from 'vitest'

const plan = resolvePlan({ name: 'n', target: { baseUrl: 'http://127.0.0.1/', model: 'm' } })

test('cross-field rules: the defaults contradict nothing, in any profile', () => {
  for (const profile of ['interactive', 'api', 'agentic', 'batch'] as const) {
    const resolved = resolvePlan({ ...plan, workload: { profile } })
    expect(CROSS_FIELD_RULES.flatMap((rule) => rule.check(resolved))).toEqual([])
  }
})

test('cross-field rules: each names fields that exist', () => {
  for (const path of CROSS_FIELD_RULES.flatMap((rule) => rule.reads)) {
    const value = path
      .split('.')
      .reduce<unknown>((place, part) => (place as Record<string, unknown>)[part], plan)
    expect(value).toBeDefined()
  }
})
