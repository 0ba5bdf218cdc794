import { runClosedLoop } from '@loadcurve/sim/engine/closed-loop'
import { PRESETS } from '@loadcurve/sim/presets/presets'
import { summariseRun } from '@loadcurve/sim/truth/run-summary'
import { describe, expect, test } from 'vitest'

const law = { ...PRESETS['8b-h100'].law, prefixCache: false, noise: { stepCv: 0, prefillCv: 0 } }
const workload = {
  inputTokens: { kind: 'fixed' as const, tokens: 400 },
  outputTokens: { kind: 'fixed' as const, tokens: 100 },
}
const measured = (delayMs: number) =>
  summariseRun(runClosedLoop({ law, workload, concurrency: 1, requests: 50, seed: 1, delayMs }))

describe('a closed loop behind a delay', () => {
  test('adds it to TTFT and E2E of one client, takes it off the throughput, and leaves TPOT alone', () => {
    const near = measured(0)
    const far = measured(300)
    expect((far.ttftMs.p50 ?? 0) - (near.ttftMs.p50 ?? 0)).toBeCloseTo(300, 6)
    expect((far.e2eMs.mean ?? 0) - (near.e2eMs.mean ?? 0)).toBeCloseTo(300, 6)
    expect(far.tpotMs.p95).toBeCloseTo(near.tpotMs.p95 ?? 0, 9)
    expect(1000 / far.requestsPerS - 1000 / near.requestsPerS).toBeCloseTo(300, 6)
  })
})
