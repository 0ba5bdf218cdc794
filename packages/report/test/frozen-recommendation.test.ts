import { readFileSync, writeFileSync } from 'node:fs'
import type { Recommendation } from '@loadcurve/core/capacity/recommendation'
import { expect, test } from 'vitest'
import { frozenRecommendation } from './support/example-report.ts'
import { liveRecommendation } from './support/live-recommendation.ts'

test('frozen recommendation: is shaped as core answers today, and says the same', () => {
  const live = liveRecommendation()
  // LOADCURVE_FREEZE=1 writes it anew; the golden reports then change too.
  if (process.env['LOADCURVE_FREEZE'] === '1') {
    writeFileSync(frozenRecommendation, `${JSON.stringify(live, null, 1)}\n`)
  }
  const frozen = JSON.parse(readFileSync(frozenRecommendation, 'utf8')) as Recommendation
  expect(shape(frozen)).toEqual(shape(live))
  expect(frozen.verdict).toBe(live.verdict)
  const [low, high] = live.batch.interval ?? [0, 0]
  expect(frozen.batch.recommended).toBeGreaterThanOrEqual(low)
  expect(frozen.batch.recommended).toBeLessThanOrEqual(high)
})

/** Every path to a field that there is: numbers, and how many things a list has, may move, names may not. */
function shape(value: unknown, path = ''): string[] {
  if (value === null || typeof value !== 'object') return [path]
  if (Array.isArray(value)) return [`${path}[]`]
  return Object.entries(value)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([name, part]) => shape(part, `${path}.${name}`))
}
