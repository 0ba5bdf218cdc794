import { createGapHistogram } from '@loadcurve/core/metrics/gap-histogram'
import { readStep } from '@loadcurve/core/metrics/step-source'
import { goodputOf, verdictOf } from '@loadcurve/core/metrics/step-verdicts'
import { expect, test } from 'vitest'
import { factsOf, sampleAt, sampleOf, shardOf } from './records.ts'

const slow = { metric: 'gap' as const, percentile: 95, maxMs: 25 }

// `streams` streams in lockstep: every 20th engine step takes `slowMs`, the others 20 ms.
function lockstep(streams: number, engineSteps: number, slowMs: number) {
  const gaps = createGapHistogram()
  let elapsedMs = 0
  for (let step = 0; step < engineSteps; step++) {
    const gapMs = step % 10 === 0 ? slowMs : 20
    elapsedMs += gapMs
    for (let stream = 0; stream < streams; stream++) gaps.record(gapMs)
  }
  return readStep([shardOf([sampleOf()], { gapHistogram: gaps.encode(), windowEndMs: elapsedMs })], factsOf())
}

test('step verdicts: gaps are judged from the histogram, on engine steps and not on tokens', () => {
  // A tenth of the steps is over the limit, twice what p95 allows: 50 streams repeat the evidence, they do not add to it.
  const few = verdictOf(slow, lockstep(50, 40, 60))
  expect(few).toMatchObject({ n: 2_000, over: 200, verdict: 'undecided' })
  expect(few.effectiveN).toBeCloseTo(40, 0)
  expect(verdictOf(slow, lockstep(50, 600, 60)).verdict).toBe('missed')
  expect(verdictOf(slow, lockstep(50, 600, 21)).verdict).toBe('met')
})

test('step verdicts: the mean of gaps is told but not judged', () => {
  const found = verdictOf({ ...slow, percentile: 'mean' }, lockstep(1, 100, 20))
  expect(found).toMatchObject({ verdict: 'undecided', over: null })
  expect(found.measuredMs).toBeCloseTo(20, 1)
})

test('step verdicts: goodput is of all scheduled, and per second of the window', () => {
  const samples = [
    sampleAt(0),
    sampleAt(100, { index: 1, firstContentAtMs: 900 }),
    sampleAt(200, { index: 2, outcome: 'empty' }),
    sampleAt(300, { index: 3, outcome: 'cancelled' }),
  ]
  const source = readStep([shardOf(samples, { windowEndMs: 2_000 })], factsOf())
  expect(goodputOf(source, [{ metric: 'ttft', percentile: 99, maxMs: 500 }])).toEqual({
    fraction: 0.25,
    perS: 0.5,
    n: 4,
  })
  // Gaps and means are no promise to a single request.
  expect(goodputOf(source, [slow, { metric: 'tpot', percentile: 'mean', maxMs: 1 }]).fraction).toBe(0.5)
})
