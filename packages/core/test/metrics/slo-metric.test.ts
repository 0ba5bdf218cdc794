import { SLO_METRICS } from '@loadcurve/core/metrics/slo-metric'
import { expect, test } from 'vitest'

test('SLO metrics: the fixed names', () => {
  expect(SLO_METRICS).toEqual([
    'ttft',
    'ttftScheduled',
    'firstVisibleToken',
    'tpot',
    'gap',
    'e2e',
    'validJson',
  ])
})
