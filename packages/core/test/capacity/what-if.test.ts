import { answerFromCurve, type CapacityQuestion } from '@loadcurve/core/capacity/capacity-answer'
import { peakDemand } from '@loadcurve/core/capacity/demand'
import type { SloTarget } from '@loadcurve/core/capacity/recommendation'
import { prepareWhatIf, whatIf } from '@loadcurve/core/capacity/what-if'
import { fitCurve } from '@loadcurve/core/fit/curve'
import { describe, expect, test } from 'vitest'
import { FIXED } from './law-fixture.ts'
import { sweepLevels } from './sweep-levels-fixture.ts'

const slo: SloTarget[] = [
  { metric: 'ttft', percentile: 95, maxMs: 300 },
  { metric: 'tpot', percentile: 95, maxMs: 20 },
]
const purchase = {
  gpusPerReplica: 1,
  gpusPerNode: null,
  failureDomain: 'replica',
  pricePerGpuHour: 2,
  priceDate: null,
  apiPrice: null,
} as const
const question: CapacityQuestion = {
  levels: sweepLevels(),
  inputTokens: null,
  outputTokens: null,
  experts: null,
  probes: [],
  seed: 1,
  draws: 100,
  slo,
  hardware: null,
  traffic: { inputTokens: null, outputTokens: null, arrival: { process: 'poisson' } },
  // Where padding is in doubt the instant estimate is rougher; here the server is known to pad nothing.
  captureSizes: [],
  ratesPerS: [],
  demand: peakDemand(40),
  stepTokens: null,
  purchase,
}
const curve = fitCurve(question)
const answered = answerFromCurve(curve, question)
const prepared = prepareWhatIf(curve, question, answered)
if (prepared === null) throw new Error('no fit')

describe('what-if', () => {
  test('nothing changed: the batch and the rate of the full answer', () => {
    const same = whatIf(prepared, {})
    expect(same.batch).toMatchObject({
      recommended: answered.batch.recommended,
      interval: answered.batch.interval,
      limitedBy: answered.batch.limitedBy,
    })
    expect(same.requestsPerS).toBeCloseTo(answered.openLoop?.maxRequestsPerS ?? 0, 9)
    expect(same.fleet?.replicas).toBe(answered.fleet?.replicas)
  })

  test('another SLO: the batch exactly, the rate within a tenth of the full answer', () => {
    const other: SloTarget[] = [
      { metric: 'ttft', percentile: 95, maxMs: 500 },
      { metric: 'tpot', percentile: 95, maxMs: 17 },
    ]
    const full = answerFromCurve(curve, { ...question, slo: other })
    const quick = whatIf(prepared, { slo: other })
    expect(quick.batch.recommended).toBe(full.batch.recommended)
    expect(Math.abs((quick.requestsPerS ?? 0) / (full.openLoop?.maxRequestsPerS ?? 1) - 1)).toBeLessThan(0.1)
  })

  test('demand, price and shorter answers change what they should', () => {
    const base = whatIf(prepared, {})
    const double = whatIf(prepared, { demand: peakDemand(80) })
    expect(double.fleet?.replicas).toBe(Math.ceil(80 / (base.requestsPerS ?? 1)))
    const dear = whatIf(prepared, { purchase: { ...purchase, pricePerGpuHour: 4 } })
    expect(dear.fleet?.costPerHour).toBeCloseTo(2 * (base.fleet?.costPerHour ?? 0), 9)
    const short = whatIf(prepared, { outputTokens: FIXED(120) })
    expect(short.requestsPerS).toBeGreaterThan(1.2 * (base.requestsPerS ?? 0))
    expect(whatIf(prepared, { demand: null }).fleet).toBeNull()
  })

  test('what cannot be said is refused by its code', () => {
    const p90: SloTarget[] = [{ metric: 'tpot', percentile: 90, maxMs: 20 }]
    expect(whatIf(prepared, { slo: p90 })).toMatchObject({
      reasons: ['percentile-not-in-table'],
      requestsPerS: null,
    })
    expect(whatIf(prepared, { outputTokens: FIXED(900) }).reasons).toEqual(['beyond-measured-range'])
    const impossible: SloTarget[] = [{ metric: 'ttft', percentile: 95, maxMs: 5 }]
    expect(whatIf(prepared, { slo: impossible })).toMatchObject({
      verdict: 'infeasible',
      reasons: ['slo-below-zero-load'],
    })
    expect(prepareWhatIf(fitCurve({ ...question, levels: [] }), question, answered)).toBeNull()
  })

  test('twenty questions of a prepared curve are answered at once', () => {
    const started = process.hrtime.bigint()
    for (let round = 0; round < 20; round++) whatIf(prepared, { demand: peakDemand(10 + round) })
    const quickMs = Number(process.hrtime.bigint() - started) / 20 / 1e6
    // Fifty is the promise; a loaded machine gets some of it for itself.
    expect(quickMs).toBeLessThan(100)
  })
})
