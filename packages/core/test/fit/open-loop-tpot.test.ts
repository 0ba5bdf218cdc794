import { expect, test } from 'vitest'
import { fitOpenLoopTpot, openLoopTpotMs } from '../../src/fit/open-loop-tpot.ts'
import { fixtureRows } from '../measured.ts'

test('open-loop TPOT: Qwen3-4B on an RTX 5090, as the reference fits it', () => {
  const points = fixtureRows('openloop_qwen3_4b_rtx5090')
    .filter((row) => (row['qps'] ?? 0) <= 12)
    .map((row) => ({ ratePerS: row['qps'] ?? 0, tpotMs: row['vllm_tpot_p50_ms'] ?? 0 }))
  const fit = fitOpenLoopTpot(points, 128)
  expect(fit.converged).toBe(true)
  expect(fit.baseMs).toBeCloseTo(6.357, 3)
  expect((127 * fit.slopeMs) / 1000).toBeCloseTo(0.05497, 5)
  const predicted = points.map(({ ratePerS }) => openLoopTpotMs(fit, { ratePerS, outputTokens: 128 }))
  const reference = [6.73, 7.14, 8.15, 11.35, 14.12, 18.68]
  for (const [index, value] of predicted.entries()) expect(value).toBeCloseTo(reference[index] ?? 0, 2)
})

test('open-loop TPOT: it is the linear step time seen from the arrival rate', () => {
  const fit = { baseMs: 6, slopeMs: 0.4 }
  const tpotMs = openLoopTpotMs(fit, { ratePerS: 10, outputTokens: 101 })
  const batch = (10 / 1000) * 100 * tpotMs
  expect(tpotMs).toBeCloseTo(6 + 0.4 * batch, 9)
})

test('open-loop TPOT: at the pole there is no steady state', () => {
  expect(openLoopTpotMs({ baseMs: 6, slopeMs: 1 }, { ratePerS: 10, outputTokens: 101 })).toBe(
    Number.POSITIVE_INFINITY,
  )
})
