import { SloSchema } from '@loadcurve/core/plan/demand-schema'
import { PROFILE_NAMES } from '@loadcurve/core/plan/workload-schema'
import { PROFILES } from '@loadcurve/core/slo/profiles'
import { formatSloTarget } from '@loadcurve/core/slo/target'
import { Value } from 'typebox/value'
import { expect, test } from 'vitest'

test('profiles: the four that a plan may name, each with valid promises', () => {
  expect(Object.keys(PROFILES)).toEqual([...PROFILE_NAMES])
  for (const profile of Object.values(PROFILES)) expect(Value.Errors(SloSchema, profile.slo)).toEqual([])
})

test('profiles: the documented promises', () => {
  const promises = Object.entries(PROFILES).map(([name, { slo }]) => [name, slo.map(formatSloTarget)])
  expect(Object.fromEntries(promises)).toEqual({
    interactive: ['ttft:p95<800', 'tpot:p95<40'],
    api: ['ttft:p99<2000', 'tpot:p99<100'],
    agentic: ['e2e:p95<30000'],
    batch: ['e2e:p95<600000'],
  })
})
