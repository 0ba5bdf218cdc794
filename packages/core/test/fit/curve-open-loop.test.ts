import { expect, test } from 'vitest'
import { fitOpenLoopCurve } from '../../src/fit/curve-open-loop.ts'
import { readLevel } from '../../src/fit/reading.ts'
import { groupRepeats } from '../../src/fit/sweep.ts'
import { fixtureRows, latency, levelWith } from '../measured.ts'

const prefill = { prefillMs: { p0: 40, p1: 0, p2: 0 }, prefillSource: 'ttft' } as const
const groupsUpTo = (rateMax: number) =>
  groupRepeats(
    fixtureRows('openloop_qwen3_4b_rtx5090')
      .filter((row) => (row['qps'] ?? 0) <= rateMax)
      .map((row) =>
        readLevel(
          levelWith({
            kind: 'open-loop',
            ratePerS: row['qps'] ?? null,
            outputTokensPerS: row['vllm_out_tok_s'] ?? null,
            ttftMs: latency({ p50: row['vllm_ttft_p50_ms'] ?? null }),
            tpotMs: latency({ p50: row['vllm_tpot_p50_ms'] ?? null }),
          }),
          128,
        ),
      ),
  )
const fit = (rateMax: number) =>
  fitOpenLoopCurve({
    groups: groupsUpTo(rateMax),
    outputTokens: 128,
    expertFraction: null,
    prefill,
    seed: 1,
    draws: 50,
  })

test('open-loop curve: the reference parameters, and every level inside the bound that the others put on it', () => {
  const outcome = fit(12)
  expect(outcome.refusal).toBeNull()
  expect(outcome.law.baseMs).toBeCloseTo(6.357, 3)
  expect(outcome.law.slopeMs).toBeCloseTo(0.4328, 4)
  const measured = groupsUpTo(12).map((group) => group[0]?.tpotMs ?? 0)
  outcome.predictions.forEach((group, index) => {
    const [low = 0, high = 0] = group[0]?.boundTpotMs ?? []
    expect(measured[index]).toBeGreaterThan(low)
    expect(measured[index]).toBeLessThan(high)
  })
})

test('open-loop curve: contradictory rates are refused', () => {
  const groups = groupsUpTo(12).map((group, index) =>
    group.map((reading) => ({ ...reading, tpotMs: index % 2 === 0 ? 9 : 30 })),
  )
  const outcome = fitOpenLoopCurve({
    groups,
    outputTokens: 128,
    expertFraction: null,
    prefill,
    seed: 1,
    draws: 5,
  })
  expect(outcome.refusal).not.toBeNull()
})
