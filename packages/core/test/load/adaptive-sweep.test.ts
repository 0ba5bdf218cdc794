import { adaptiveStep } from '@loadcurve/core/load/adaptive-sweep'
import { describe, expect, test } from 'vitest'
import { measured, runSweep, sweepPlan } from './sweep-fixture.ts'

const plan = sweepPlan({ mode: 'adaptive', concurrency: [] })

function levels(server: { capacity: number; sloAt: number }, purpose: string): (number | null)[] {
  const { finished } = runSweep(plan, server)
  return finished.filter((step) => step.purpose === purpose).map((step) => step.level.concurrency)
}

describe('adaptive sweep', () => {
  test('doubles until throughput gains less than 5 %, then closes in on the saturation', () => {
    const server = { capacity: 40, sloAt: 1e9 }
    expect(levels(server, 'explore')).toEqual([1, 2, 4, 8, 16, 32, 64, 128])
    // 32 to 64 still gains (40 of 32); the crossing lies between 64 and 128, and 64 is the anchor in the end.
    expect(levels(server, 'anchor')).toHaveLength(1)
    expect(levels(server, 'refine').every((level) => level !== null && level > 32 && level < 128)).toBe(true)
  })

  test.each([11, 23, 77, 300])(
    'an SLO that is missed above %i is bracketed within a tenth, or two',
    (sloAt) => {
      const { finished } = runSweep(plan, { capacity: 1e9, sloAt })
      const good = finished.filter((step) => step.sloMet).map((step) => step.level.concurrency ?? 0)
      const bad = finished.filter((step) => step.sloMet === false).map((step) => step.level.concurrency ?? 0)
      const [lastGood, firstBad] = [Math.max(...good), Math.min(...bad)]
      expect(firstBad).toBeGreaterThan(sloAt)
      // Four bisections of a doubling leave a ratio of 2^(1/16); whole numbers near 16 leave a gap of 2 at most.
      expect(firstBad / lastGood <= 1.1 || firstBad - lastGood <= 2).toBe(true)
      expect(finished.at(-1)).toMatchObject({ purpose: 'anchor', level: { concurrency: lastGood } })
    },
  )

  test('an SLO missed at once: four levels are explored all the same, and nothing is anchored', () => {
    const { finished } = runSweep(plan, { capacity: 1e9, sloAt: 0 })
    expect(finished.map((step) => step.level.concurrency)).toEqual([1, 2, 4, 8])
  })

  test('a failed level ends the doubling', () => {
    const finished = [1, 2, 4, 8].map((concurrency) =>
      measured(
        { level: { batch: null, concurrency, ratePerS: null }, purpose: 'explore' },
        { capacity: 99, sloAt: 99 },
      ),
    )
    const last = finished.pop()
    if (last === undefined) throw new Error('no step')
    const next = adaptiveStep(plan, [
      ...finished,
      { ...last, outcome: 'failed', outputTokensPerS: null, sloMet: null },
    ])
    expect(next).toEqual({ level: { batch: null, concurrency: 6, ratePerS: null }, purpose: 'refine' })
  })

  test('start and largest concurrency of the plan bound the search', () => {
    const { finished } = runSweep(
      sweepPlan({
        mode: 'adaptive',
        adaptive: { start: 2, concurrencyMax: 50, gainFraction: 0.05, refineLevels: 3 },
      }),
      {
        capacity: 1e9,
        sloAt: 1e9,
      },
    )
    const explored = finished
      .filter((step) => step.purpose === 'explore')
      .map((step) => step.level.concurrency)
    expect(explored).toEqual([2, 4, 8, 16, 32, 50])
  })

  test('each batch limit gets its own search, then its rates', () => {
    const two = sweepPlan({
      mode: 'adaptive',
      adaptive: { start: 1, concurrencyMax: 8, gainFraction: 0.05, refineLevels: 3 },
      ratesPerS: [3, 1],
      batch: { control: 'server', levels: [4, 8] },
    })
    const { finished } = runSweep(two, { capacity: 1e9, sloAt: 1e9 })
    const batches = finished.map((step) => step.level.batch)
    expect(batches.lastIndexOf(4)).toBeLessThan(batches.indexOf(8))
    expect(finished.filter((step) => step.level.ratePerS !== null)).toHaveLength(4)
  })
})
