import { gridSteps, shuffle } from '@loadcurve/core/load/grid-sweep'
import { seededRandom } from '@loadcurve/core/random'
import { describe, expect, test } from 'vitest'
import { sweepPlan } from './sweep-fixture.ts'

describe('grid sweep', () => {
  test('every level is measured once, and the anchor first and last', () => {
    const steps = gridSteps(sweepPlan())
    expect(steps).toHaveLength(9)
    expect(steps[0]).toEqual({ level: { batch: null, concurrency: 8, ratePerS: null }, purpose: 'anchor' })
    expect(steps.at(-1)).toEqual(steps[0])
    const levels = steps.slice(0, -1).map((step) => step.level.concurrency ?? 0)
    expect([...levels].sort((left, right) => left - right)).toEqual([1, 2, 4, 8, 16, 32, 64, 128])
  })

  test('one level is held out: interior, and not the anchor', () => {
    const seen = new Set<number | null>()
    for (let seed = 1; seed <= 200; seed++) {
      const heldOut = gridSteps(sweepPlan({}, { seed })).filter((step) => step.purpose === 'held-out')
      expect(heldOut).toHaveLength(1)
      seen.add(heldOut[0]?.level.concurrency ?? null)
    }
    // Each of five levels is missed by 200 draws with probability 0.8^200.
    expect(seen).toEqual(new Set([2, 4, 16, 32, 64]))
  })

  test('few levels: nothing is held out below six, no anchor below three', () => {
    const purposes = (concurrency: number[]) =>
      new Set(gridSteps(sweepPlan({ concurrency })).map((step) => step.purpose))
    expect(purposes([1, 2, 4, 8, 16])).toEqual(new Set(['anchor', 'grid']))
    expect(purposes([1, 2])).toEqual(new Set(['grid']))
  })

  test('a plan that wants no anchor and nothing held out gets every level once', () => {
    const steps = gridSteps(sweepPlan({ repeatAnchor: false, holdOut: false }))
    expect(steps).toHaveLength(8)
    expect(new Set(steps.map((step) => step.purpose))).toEqual(new Set(['grid']))
  })

  test('batch limits times concurrency: all pairs, and the levels of one batch limit stay together', () => {
    const plan = sweepPlan({
      concurrency: [1, 8],
      ratesPerS: [0.5, 2],
      batch: { control: 'server', levels: [16, 32, 64] },
    })
    const steps = gridSteps(plan)
    expect(new Set(steps.map((step) => JSON.stringify(step.level))).size).toBe(12)
    const changes = steps.filter((step, index) => step.level.batch !== steps[index - 1]?.level.batch)
    expect(changes).toHaveLength(3)
  })

  test('the order is the seed, and ascending when the plan asks for it', () => {
    expect(gridSteps(sweepPlan())).toEqual(gridSteps(sweepPlan()))
    expect(gridSteps(sweepPlan({}, { seed: 2 }))).not.toEqual(gridSteps(sweepPlan()))
    const ascending = gridSteps(sweepPlan({ order: 'ascending' })).slice(1, -1)
    expect(ascending.map((step) => step.level.concurrency)).toEqual([1, 2, 4, 16, 32, 64, 128])
  })

  test('shuffle: each of six orders comes equally often', () => {
    const random = seededRandom(3)
    const counts = new Map<string, number>()
    for (let round = 0; round < 6000; round++) {
      const order = shuffle([1, 2, 3], random).join('')
      counts.set(order, (counts.get(order) ?? 0) + 1)
    }
    expect(counts.size).toBe(6)
    for (const count of counts.values())
      expect(Math.abs(count - 1000)).toBeLessThan(4.5 * Math.sqrt(1000 * (5 / 6)))
  })
})
