import { DemandInputSchema, HardwareInputSchema, SloSchema } from '@loadcurve/core/plan/demand-schema'
import { Value } from 'typebox/value'
import { expect, test } from 'vitest'

const promise = (changes: object) =>
  Value.Check(SloSchema, [{ metric: 'ttft', percentile: 95, maxMs: 800, ...changes }])

test('demand schema: a promise is a known metric, a percentile or the mean, and a limit', () => {
  for (const changes of [{}, { percentile: 'mean' }, { percentile: 99.9 }, { metric: 'gap' }])
    expect(promise(changes)).toBe(true)
  for (const changes of [
    { percentile: 100 },
    { percentile: 'p95' },
    { metric: 'itl' },
    { maxMs: 0 },
    { extra: 1 },
  ]) {
    expect(promise(changes)).toBe(false)
  }
})

test('demand schema: a day has 24 hours', () => {
  const day = (hours: number) =>
    Value.Check(DemandInputSchema, { hourlyRequestsPerS: new Array(hours).fill(1) })
  expect([23, 24, 25].map(day)).toEqual([false, true, false])
})

test('demand schema: prices carry a real-looking day', () => {
  const price = (priceDate: string) => Value.Check(HardwareInputSchema, { pricePerGpuHour: 2.95, priceDate })
  expect(['2026-05-20', '2026-13-01', '2026-00-10', '20.05.2026', '2026-05-32'].map(price)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ])
})
