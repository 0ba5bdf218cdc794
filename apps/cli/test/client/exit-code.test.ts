import type { Recommendation } from '@loadcurve/core/capacity/recommendation'
import type { ApiEvent } from 'loadcurve/client/api-client'
import { exitCodeOf } from 'loadcurve/client/exit-code'
import { expect, test } from 'vitest'

const answer = (verdict: Recommendation['verdict']) => ({ verdict }) as Recommendation
const step = (...verdicts: string[]): ApiEvent => ({
  id: 1,
  kind: 'step-finished',
  data: { summary: { slo: verdicts.map((verdict) => ({ verdict })) } },
})
const code = (verdict: Recommendation['verdict'] | null, events: ApiEvent[] = []) =>
  exitCodeOf({ state: 'finished', recommendation: verdict === null ? null : answer(verdict), events })

test('exit code of a run: 0 recommended, 4 infeasible, 5 inconclusive or no answer', () => {
  expect(code('recommended', [step('missed')])).toBe(0)
  expect(code('infeasible')).toBe(4)
  expect(code('inconclusive')).toBe(5)
  expect(code(null)).toBe(5)
})

test('exit code of a run: 4 when every measured level missed a promise, also without a fit', () => {
  expect(code('inconclusive', [step('met', 'missed'), step('missed')])).toBe(4)
  expect(code('inconclusive', [step('missed'), step('undecided')])).toBe(5)
  expect(code('inconclusive', [step(), step()])).toBe(5)
})

test('exit code of a run: 1 when it failed or was cancelled, whatever was answered', () => {
  for (const state of ['failed', 'cancelled'] as const) {
    expect(exitCodeOf({ state, recommendation: answer('recommended'), events: [] })).toBe(1)
  }
})
