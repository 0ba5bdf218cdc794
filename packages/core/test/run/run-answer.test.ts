import { resolvePlan } from '@loadcurve/core/plan/resolve'
import { answerRun } from '@loadcurve/core/run/run-answer'
import { expect, test } from 'vitest'
import { LAW, lawAttempt } from './law-attempts.ts'

const plan = resolvePlan({
  name: 'p',
  target: { baseUrl: 'http://127.0.0.1:9/v1', model: 'm' },
  workload: { inputTokens: { mean: LAW.inputTokens }, outputTokens: { mean: LAW.outputTokens } },
  slo: [{ metric: 'tpot', percentile: 'mean', maxMs: 21 }],
})

const sweep = [1, 2, 4, 8, 12, 16, 24, 32].map((concurrency, step) =>
  lawAttempt(concurrency, { step, purpose: concurrency === 4 ? 'held-out' : 'grid' }),
)

test('run answer: a known law is found again, the held-out level is predicted, and the batch keeps the promise', () => {
  const answer = answerRun({ plan, attempts: sweep, probes: [], server: null })
  expect(answer.verdict).toBe('recommended')
  expect(answer.batch.saturation?.decodeBatch).toBeCloseTo(LAW.slots, 1)
  // itl(b) <= 21 at b = 12.86: the largest whole batch is 12.
  expect(answer.batch).toMatchObject({ recommended: 12, limitedBy: 'slo:tpot:mean' })
  const heldOut = answer.fit?.levels.find(({ concurrency }) => concurrency === 4)
  expect(heldOut).toMatchObject({ excluded: 'held-out', tpotMs: expect.any(Number) })
  // The law is exact, so what it foretells of the level that it never saw is what was measured.
  expect(heldOut?.predictedTpotMs).toBeCloseTo(heldOut?.tpotMs ?? 0, 1)
  expect((heldOut?.predictedRequestsPerS ?? 0) / (heldOut?.requestsPerS ?? 1)).toBeCloseTo(1, 2)
  expect(answer.reasons).not.toContain('held-out')
  expect(answer.caveats).not.toContain('server-drifted')
}, 60_000)

test('run answer: anchors that differ by more than chance are a caveat', () => {
  const anchors = [
    lawAttempt(6, { step: 10, purpose: 'anchor' }),
    lawAttempt(6, { step: 11, purpose: 'anchor', tokensFactor: 0.9 }),
  ]
  const answer = answerRun({ plan, attempts: [...sweep, ...anchors], probes: [], server: null })
  expect(answer.caveats).toContain('server-drifted')
}, 60_000)
