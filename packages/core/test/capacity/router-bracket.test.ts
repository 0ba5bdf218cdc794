import { openLoopAnswer } from '@loadcurve/core/capacity/open-loop'
import type { SloTarget } from '@loadcurve/core/capacity/recommendation'
import { dealtRatePerS, pooledReplicas } from '@loadcurve/core/capacity/router-bracket'
import { describe, expect, test } from 'vitest'
import { replicaOf } from './replica-fixture.ts'

const slo: SloTarget[] = [{ metric: 'ttft', percentile: 95, maxMs: 150 }]
const replica = replicaOf()

describe('router bracket', () => {
  test('the steadier the dealing, the more a replica takes; one replica takes lambda_slo', () => {
    const rate = (replicas: number) => dealtRatePerS(replica, { replicas, slots: null, slo }) ?? 0
    const alone = openLoopAnswer(replica, { slo, slots: null, ratesPerS: [] }).openLoop.maxRequestsPerS ?? 0
    // Half as many requests in the search: 3 % is three standard errors of a p95 there.
    expect(Math.abs(rate(1) / alone - 1)).toBeLessThan(0.03)
    const rates = [1, 4, 16].map(rate)
    expect(rates).toEqual([...rates].sort((left, right) => left - right))
    expect((rates[2] ?? 0) / (rates[0] ?? 1)).toBeGreaterThan(1.05)
  })

  test('one queue needs fewer replicas, and never more', () => {
    const pooled = pooledReplicas(replica, { replicas: 40, demandPerS: 150, slots: null, slo }) ?? 0
    expect(pooled).toBeLessThan(40)
    const each = dealtRatePerS(replica, { replicas: pooled, slots: null, slo }) ?? 0
    expect(pooled * each).toBeGreaterThanOrEqual(150)
    expect(pooledReplicas(replica, { replicas: 1, demandPerS: 1, slots: null, slo })).toBe(1)
  })

  test('a trace has no dealt form, and an infeasible SLO no rate', () => {
    const traced = replicaOf({ arrival: { process: 'trace', offsetsMs: [0, 5, 30] } })
    expect(dealtRatePerS(traced, { replicas: 4, slots: null, slo })).toBeNull()
    const impossible: SloTarget[] = [{ metric: 'ttft', percentile: 95, maxMs: 1 }]
    expect(pooledReplicas(replica, { replicas: 4, demandPerS: 9, slots: null, slo: impossible })).toBeNull()
  })
})
