import { SLO_METRICS } from '@loadcurve/core/metrics/slo-metric'
import { formatSloTarget, parseSloTarget } from '@loadcurve/core/slo/target'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const parsed = (text: string) => {
  const found = parseSloTarget(text)
  return found.ok ? found.target : found.message
}

test.each([
  ['ttft:p95<800', { metric: 'ttft', percentile: 95, maxMs: 800 }],
  ['tpot:mean<40', { metric: 'tpot', percentile: 'mean', maxMs: 40 }],
  [' e2e : p99.9 <= 30s ', { metric: 'e2e', percentile: 99.9, maxMs: 30_000 }],
  ['TTFTscheduled:p50<0.5ms', { metric: 'ttftScheduled', percentile: 50, maxMs: 0.5 }],
])('slo target: %s is read', (text, expected) => expect(parsed(text)).toEqual(expected))

test.each([
  ['ttft', 'is no SLO; write it as ttft:p95<800'],
  ['ttft:p95>800', 'is no SLO'],
  ['ttft:95<800', 'is no SLO'],
  ['ttft:p95<-1', 'is no SLO'],
  ['ttft:p95<', 'is no SLO'],
  ['latency:p95<800', '"latency" is no SLO metric; choose from ttft, ttftScheduled'],
  ['ttft:p100<800', '"p100" is no percentile'],
  ['ttft:p0<800', '"p0" is no percentile'],
  ['ttft:p95<0', 'must be above 0 ms'],
])('slo target: %s is refused in a sentence', (text, expected) => expect(parsed(text)).toContain(expected))

test('slo target: what is written is read back', () => {
  const target = fc.record({
    metric: fc.constantFrom(...SLO_METRICS),
    percentile: fc.oneof(
      fc.constant('mean' as const),
      fc.integer({ min: 1, max: 999 }).map((one) => one / 10),
    ),
    maxMs: fc.integer({ min: 1, max: 10 ** 7 }).map((one) => one / 8),
  })
  fc.assert(
    fc.property(target, (one) => {
      expect(parseSloTarget(formatSloTarget(one))).toEqual({ ok: true, target: one })
    }),
    { seed: 7 },
  )
})
