import { expect, test } from 'vitest'
import { fitPrefill, prefillMs } from '../../src/fit/prefill.ts'
import { fixtureRows } from '../measured.ts'

test('prefill: the measured lengths give the reference polynomial', () => {
  const probes = fixtureRows('prefill_qwen3_4b_rtx5090').map((row) => ({
    inputTokens: row['input_tokens'] ?? 0,
    ttftMs: row['cold_ttft_ms_run1'] ?? 0,
  }))
  const fit = fitPrefill(probes)
  // scipy, relative non-negative least squares, per thousand tokens: 5.8007, 37.5779, 2.07728.
  expect(fit?.p0).toBeCloseTo(5.8007, 3)
  expect((fit?.p1 ?? 0) * 1e3).toBeCloseTo(37.5779, 3)
  expect((fit?.p2 ?? 0) * 1e6).toBeCloseTo(2.07728, 4)
  const worst = probes.map((probe) =>
    Math.abs(prefillMs(fit ?? { p0: 0, p1: 0, p2: 0 }, probe.inputTokens) / probe.ttftMs - 1),
  )
  expect(Math.max(...worst)).toBeLessThan(0.081)
})

test('prefill: two lengths do not tell the linear term from the quadratic one', () => {
  expect(
    fitPrefill([
      { inputTokens: 256, ttftMs: 16 },
      { inputTokens: 1024, ttftMs: 44 },
      { inputTokens: 1024, ttftMs: 45 },
    ]),
  ).toBeNull()
})
