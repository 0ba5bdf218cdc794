import { expect, test } from 'vitest'
import { fitClosedLoopCurve } from '../../src/fit/curve-closed-loop.ts'
import type { Level } from '../../src/fit/level.ts'
import { readLevel } from '../../src/fit/reading.ts'
import { groupRepeats } from '../../src/fit/sweep.ts'
import { closedLoopLevels, mainOracle } from '../measured.ts'

const prefill = { prefillMs: { p0: 400, p1: 0, p2: 0 }, prefillSource: 'ttft' } as const
const inputOf = (levels: readonly Level[], outputTokens: number) => ({
  groups: groupRepeats(levels.map((level) => readLevel(level, null))),
  outputTokens,
  expertFraction: null,
  prefill,
  seed: 3,
  draws: 10,
})

test('closed-loop curve: every reading gets its prediction, repeats the same one', () => {
  const input = inputOf(closedLoopLevels('llamacpp_small_closed'), 95.8)
  const outcome = fitClosedLoopCurve(input)
  expect(outcome.predictions.map((group) => group.length)).toEqual(input.groups.map((group) => group.length))
  const repeated = outcome.predictions.find((group) => group.length === 2)
  expect(repeated?.[0]).toEqual(repeated?.[1])
})

test('closed-loop curve: the bound of a level surrounds the prediction from the other levels', () => {
  const outcome = fitClosedLoopCurve(inputOf(mainOracle(), 500))
  for (const { looTpotMs, boundTpotMs } of outcome.predictions.flat()) {
    expect(boundTpotMs[0]).toBeLessThan(looTpotMs)
    expect(boundTpotMs[1]).toBeGreaterThan(looTpotMs)
  }
})

test('closed-loop curve: a table without throughput is predicted from its parts', () => {
  const levels = mainOracle().map((level) => ({ ...level, outputTokensPerS: null }))
  const outcome = fitClosedLoopCurve(inputOf(levels, 500))
  expect(outcome.joint).toBe(false)
  // N / R is up to 0.54 % above the published throughput (the Little ratios), and so is the plateau.
  expect(Math.abs((outcome.law.saturationBatch ?? 0) / 85.4352 - 1)).toBeLessThan(0.006)
  // Little's law gives 51.69 tokens/s at one client; 51.67 was published.
  expect((outcome.predictions[0]?.[0]?.requestsPerS ?? 0) * 500).toBeCloseTo(51.67, 0)
})
