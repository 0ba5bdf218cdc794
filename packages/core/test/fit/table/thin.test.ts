import { TABLE_LOADS_MAX, thinLevels } from '@loadcurve/core/fit/table/thin'
import { expect, test } from 'vitest'
import { read } from './csv.ts'

const table = (loads: readonly number[], dial = 'concurrency') =>
  read([`${dial},ttft_ms,tpot_ms`, ...loads.map((load, index) => `${load},${50 + index},5`)].join('\n'))
    .levels
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
const kept = (levels: ReturnType<typeof table>) => levels.filter((level) => level.excluded === null)

test('thin: up to the maximum of different loads nothing is left out, however many repeats there are', () => {
  expect(kept(table(upTo(TABLE_LOADS_MAX)))).toHaveLength(TABLE_LOADS_MAX)
  expect(kept(table(upTo(TABLE_LOADS_MAX).flatMap((load) => [load, load, load])))).toHaveLength(
    3 * TABLE_LOADS_MAX,
  )
})

test.each(['concurrency', 'qps'])(
  'thin: of too many loads (%s) both ends stay, and gaps grow by one ratio',
  (dial) => {
    const levels = table(upTo(2000), dial)
    const loads = kept(levels).map((level) => level.concurrency ?? level.ratePerS ?? 0)
    expect(levels).toHaveLength(2000)
    expect(levels.filter((level) => level.excluded === 'more-levels-than-needed')).toHaveLength(
      2000 - loads.length,
    )
    expect(loads.length).toBeLessThanOrEqual(TABLE_LOADS_MAX)
    expect(loads.slice(0, 3)).toEqual([1, 2, 3])
    expect(loads.at(-1)).toBe(2000)
    // Whole numbers next to each other apart, a gap is one step of the logarithm, rounded at both ends.
    const ratio = 2000 ** (1 / (TABLE_LOADS_MAX - 1))
    for (const [index, load] of loads.entries()) {
      const next = loads[index + 1]
      if (next !== undefined && next - load > 1) expect(next).toBeLessThanOrEqual((load + 0.5) * ratio + 0.5)
    }
  },
)

test('thin: a level that is excluded already keeps its own reason', () => {
  const [first, ...rest] = table(upTo(100))
  const before = [{ ...first, excluded: 'output-length-differs' } as (typeof rest)[number], ...rest]
  expect(thinLevels(before)[0]?.excluded).toBe('output-length-differs')
})
