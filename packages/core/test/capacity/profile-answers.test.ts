import { profileAnswers } from '@loadcurve/core/capacity/profile-answers'
import { fitCurve } from '@loadcurve/core/fit/curve'
import { expect, test } from 'vitest'
import { column, fittedLaw } from './law-fixture.ts'
import { replicaOf } from './replica-fixture.ts'
import { sweepLevels } from './sweep-levels-fixture.ts'

const levels = sweepLevels()
const input = {
  levels,
  inputTokens: null,
  outputTokens: null,
  experts: null,
  probes: [],
  seed: 1,
  draws: 60,
  slo: [],
  hardware: null,
}

function answersFor(given: typeof levels) {
  const curve = fitCurve({ ...input, levels: given })
  if (curve.fitted === null) throw new Error('no fit')
  const fitted = fittedLaw({ ...curve.fitted, inputTokens: 1000 })
  return profileAnswers(curve, { ...input, levels: given }, replicaOf({ fitted, levels: given }))
}

test('profiles: the laxer the promise, the more a replica takes; each carries its own SLO', () => {
  const { interactive, agentic, batch, api } = answersFor(levels)
  expect(batch?.requestsPerS).toBeGreaterThanOrEqual(interactive?.requestsPerS ?? 0)
  expect(batch?.requestsPerS).toBeGreaterThanOrEqual(api?.requestsPerS ?? 0)
  expect(agentic?.slo).toEqual([{ metric: 'e2e', percentile: 95, maxMs: 30_000 }])
  expect(interactive?.outputTokensPerS).toBeCloseTo((interactive?.requestsPerS ?? 0) * 201, 6)
})

test('profiles: a table of means refuses percentiles, by name, in each profile', () => {
  const means = levels.map((level) => ({
    ...level,
    ttftMs: column({ mean: level.ttftMs.mean }),
    tpotMs: column({ mean: level.tpotMs.mean }),
    e2eMs: column(),
  }))
  for (const answer of Object.values(answersFor(means))) {
    expect(answer).toMatchObject({ verdict: 'inconclusive', requestsPerS: null })
    expect(answer?.reasons).toContain('percentile-not-in-table')
  }
})
