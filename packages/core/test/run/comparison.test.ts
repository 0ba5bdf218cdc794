import type { StepLevel } from '@loadcurve/core/load/step-level'
import type { StepSummary } from '@loadcurve/core/metrics/step-summary'
import { type ComparedRun, compareRuns } from '@loadcurve/core/run/comparison'
import { expect, test } from 'vitest'

const level = (concurrency: number): StepLevel => ({ batch: null, concurrency, ratePerS: null })

// Only the fields that a comparison reads.
const summary = (requestsPerS: number, tpotMs: number, error: number | null) =>
  ({
    requestsPerS,
    outputTokensPerS: null,
    latency: { ttft: { mean: null }, tpot: { mean: tpotMs } },
    relativeErrors: { requestsPerS: error, outputTokensPerS: error, ttft: error, tpot: error },
  }) as unknown as StepSummary

const run = (fingerprintHash: string | null, steps: ComparedRun['steps']): ComparedRun => ({
  runId: 'r',
  fingerprintHash,
  steps,
})

test('comparison: a change beyond the noise of both figures is named by its direction', () => {
  const first = run('a', [{ level: level(8), summary: summary(10, 20, 0.01) }])
  const second = run('a', [{ level: level(8), summary: summary(9, 20.1, 0.01) }])
  const { levels, refusal } = compareRuns({ first, second, acceptOtherServer: false })
  expect(refusal).toBeNull()
  const [throughput, tpot] = levels[0]?.figures ?? []
  expect(throughput).toMatchObject({ metric: 'requestsPerS', verdict: 'worse' })
  // ln 0.9 ± 1.96·√2·0.01, as a change: by hand.
  const half = 1.96 * Math.SQRT2 * 0.01
  expect(throughput?.interval?.[0]).toBeCloseTo(0.9 * Math.exp(-half) - 1, 12)
  expect(throughput?.interval?.[1]).toBeCloseTo(0.9 * Math.exp(half) - 1, 12)
  expect(tpot).toMatchObject({ metric: 'tpotMs', verdict: 'same' })
})

test('comparison: without a known error there is no verdict', () => {
  const first = run('a', [{ level: level(8), summary: summary(10, 20, null) }])
  const { levels } = compareRuns({ first, second: first, acceptOtherServer: false })
  expect(levels[0]?.figures.map(({ verdict }) => verdict)).toEqual(['unknown', 'unknown'])
})

test('comparison: another server is refused unless somebody asks for it', () => {
  const steps = [{ level: level(8), summary: summary(10, 20, 0.01) }]
  const refused = compareRuns({ first: run('a', steps), second: run('b', steps), acceptOtherServer: false })
  expect(refused).toEqual({ refusal: 'fingerprint-differs', fingerprintsDiffer: true, levels: [] })
  const asked = compareRuns({ first: run('a', steps), second: run('b', steps), acceptOtherServer: true })
  expect(asked).toMatchObject({ refusal: null, fingerprintsDiffer: true })
})

test('comparison: an unknown fingerprint is said, not guessed', () => {
  const steps = [{ level: level(8), summary: summary(10, 20, 0.01) }]
  const { fingerprintsDiffer } = compareRuns({
    first: run(null, steps),
    second: run('b', steps),
    acceptOtherServer: false,
  })
  expect(fingerprintsDiffer).toBeNull()
})

test('comparison: only levels that both measured are compared; none is a refusal', () => {
  const first = run('a', [
    { level: level(8), summary: summary(10, 20, 0.01) },
    { level: level(16), summary: summary(15, 30, 0.01) },
  ])
  const second = run('a', [{ level: level(16), summary: summary(15, 30, 0.01) }])
  expect(
    compareRuns({ first, second, acceptOtherServer: false }).levels.map((one) => one.level.concurrency),
  ).toEqual([16])
  const other = run('a', [{ level: { ...level(16), batch: 4 }, summary: summary(15, 30, 0.01) }])
  expect(compareRuns({ first, second: other, acceptOtherServer: false }).refusal).toBe('no-common-level')
})
