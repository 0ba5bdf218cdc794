import { expect, test } from 'vitest'
import { operatingPoint } from '../../src/capacity/operating-point.ts'
import { ttftCurve } from '../../src/capacity/slo-limits.ts'
import { fitCurve } from '../../src/fit/curve.ts'
import { referenceLaw } from '../fit/reference-law.ts'
import { closedLoopLevels, mainOracle } from '../measured.ts'

const fitSettings = { inputTokens: null, outputTokens: null, experts: null, probes: [], seed: 1, draws: 10 }
const settings = { expertFraction: null, seed: 1, draws: 10 }
const main = fitCurve({ ...fitSettings, levels: mainOracle() })
const point = (batch: number, limits: Parameters<typeof operatingPoint>[1]['limits'] = []) => {
  if (main.fitted === null) throw new Error('the fixture must fit')
  return operatingPoint(main, { fitted: main.fitted, batch, limits, gpusPerReplica: 2, settings })
}

test('operating point: 24 decoding sequences of the main oracle, by Little’s law', () => {
  const at = point(24)
  const itlMs = 17.661 + 0.879301 * 24
  const perS = (1000 * 24) / (499 * itlMs)
  expect(at?.requestsPerS).toBeCloseTo(perS, 3)
  expect(at?.concurrency).toBeCloseTo(24 + perS * (0.446556 + 0.00880434 * 24), 2)
  expect(at?.outputTokensPerSPerGpu).toBeCloseTo((perS * 500) / 2, 0)
  expect(at?.tpotMs.mean).toBeCloseTo(itlMs, 2)
  expect(at?.tpotMs.p95).toBeNull()
})

test('operating point: a TTFT limit lowers it to the largest batch that keeps it', () => {
  const limit = {
    slo: { metric: 'ttft', percentile: 'mean', maxMs: 600 },
    binds: 'load',
    code: 'slo:ttft:mean',
    maxMs: 600,
    curve: ttftCurve(referenceLaw),
    draws: [],
  } as const
  // (600 − 446.556) / 8.80434 = 17.4.
  expect(point(24, [limit])?.tpotMs.mean).toBeCloseTo(17.661 + 0.879301 * 17, 2)
  expect(point(24, [{ ...limit, maxMs: 400 }])).toBeNull()
})

test('operating point: percentiles are read off their own columns', () => {
  const curve = fitCurve({ ...fitSettings, levels: closedLoopLevels('llamacpp_small_closed') })
  if (curve.fitted === null) throw new Error('the fixture must fit')
  const at = operatingPoint(curve, {
    fitted: curve.fitted,
    batch: 5,
    limits: [],
    gpusPerReplica: null,
    settings,
  })
  expect(at?.tpotMs.p95).toBeGreaterThan(at?.tpotMs.mean ?? 0)
  expect(at?.tpotMs.p99).toBeNull()
  expect(at?.outputTokensPerSPerGpu).toBeNull()
})
