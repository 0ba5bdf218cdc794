import { admissionLimit } from '@loadcurve/core/capacity/admission'
import { closedLoopReplay } from '@loadcurve/core/capacity/calibration'
import type { SloTarget } from '@loadcurve/core/capacity/recommendation'
import { percentileOf } from '@loadcurve/core/capacity/simulate/latencies'
import { expect, test } from 'vitest'
import { engineOf } from './law-fixture.ts'
import { poissonTraffic, SILENT } from './traffic-fixture.ts'

const engine = engineOf({ slots: 16 })
const limit = (slo: SloTarget[]) => admissionLimit(engine, poissonTraffic(), { slo, noise: SILENT, seed: 1 })

test('admission limit: the largest closed loop that keeps the TTFT, queue included', () => {
  const slo: SloTarget[] = [{ metric: 'ttft', percentile: 95, maxMs: 1000 }]
  const found = limit(slo) ?? 0
  const p95 = (clients: number) =>
    percentileOf(
      closedLoopReplay(engine, poissonTraffic(), { clients, noise: SILENT, seed: 1 }).latencies.ttft,
      95,
    ) ?? 0
  expect(p95(found)).toBeLessThanOrEqual(1000)
  expect(p95(found + 1)).toBeGreaterThan(1000)
  // Each client beyond the 16 places waits for one more ending: (200 * 18 + 66) / 16 = 229 ms.
  expect(found).toBeGreaterThanOrEqual(17)
  expect(found).toBeLessThanOrEqual(21)
})

test('admission limit: without a promise on waiting it is the number of places', () => {
  expect(limit([])).toBe(16)
  expect(limit([{ metric: 'tpot', percentile: 95, maxMs: 30 }])).toBe(16)
})

test('admission limit: a TPOT that a full batch misses lowers it, an impossible one leaves none', () => {
  // itl(8) = 14 ms.
  const tight = limit([{ metric: 'tpot', percentile: 50, maxMs: 14 }]) ?? 0
  expect(tight).toBeGreaterThanOrEqual(7)
  expect(tight).toBeLessThanOrEqual(10)
  expect(limit([{ metric: 'tpot', percentile: 50, maxMs: 5 }])).toBeNull()
})
