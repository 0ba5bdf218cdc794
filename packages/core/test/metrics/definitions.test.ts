import {
  DEFINITIONS_VERSION,
  LATENCY_DEFINITIONS,
  STEP_DEFINITIONS,
} from '@loadcurve/core/metrics/definitions'
import { SLO_METRICS } from '@loadcurve/core/metrics/slo-metric'
import { expect, test } from 'vitest'

const all = [...Object.entries(LATENCY_DEFINITIONS), ...Object.entries(STEP_DEFINITIONS)]

test('definitions: every SLO metric has one, in ms, lower is better', () => {
  expect(Object.keys(LATENCY_DEFINITIONS).toSorted()).toEqual([...SLO_METRICS].toSorted())
  for (const one of Object.values(LATENCY_DEFINITIONS))
    expect(one).toMatchObject({ unit: 'ms', better: 'lower' })
})

test('definitions: names, labels and sentences are there, once', () => {
  expect(new Set(all.map(([name]) => name)).size).toBe(all.length)
  expect(new Set(all.map(([, one]) => one.label)).size).toBe(all.length)
  for (const [, one] of all) expect(one.definition.length).toBeGreaterThan(10)
})

test('definitions: no metric is newer than the table', () => {
  for (const [, one] of all) expect(one.version).toBeLessThanOrEqual(DEFINITIONS_VERSION)
})
