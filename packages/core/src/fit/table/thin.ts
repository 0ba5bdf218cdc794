/**
 * A curve of two or three parameters needs no thousand levels, and every one of them is left out once and drawn a
 * thousand times. Where a table has more different loads than are needed, some are chosen, evenly over the logarithm of
 * the load so that the ends and the bend keep theirs; the others are named as left out, not merged: percentiles of
 * different levels cannot be averaged.
 */
import type { Level } from '../level.ts'

/** Different loads (concurrencies or rates) of one table that enter the fit. */
export const TABLE_LOADS_MAX = 40

/** Levels in order of load; beyond the maximum of different loads, the others come back excluded. */
export function thinLevels(levels: readonly Level[]): readonly Level[] {
  const loads = [...new Set(levels.filter((level) => level.excluded === null).map(loadOf))]
  if (loads.length <= TABLE_LOADS_MAX) return levels
  const chosen = evenlySpaced(loads.toSorted((left, right) => left - right))
  return levels.map((level) =>
    level.excluded !== null || chosen.has(loadOf(level))
      ? level
      : { ...level, excluded: 'more-levels-than-needed' },
  )
}

const loadOf = (level: Level): number => level.concurrency ?? level.ratePerS ?? 0

// For each target the nearest load; near the low end several targets may share one.
function evenlySpaced(sorted: readonly number[]): ReadonlySet<number> {
  const low = Math.log(sorted[0] ?? 1)
  const step = (Math.log(sorted.at(-1) ?? 1) - low) / (TABLE_LOADS_MAX - 1)
  const chosen = new Set<number>()
  let index = 0
  for (let target = 0; target < TABLE_LOADS_MAX; target++) {
    const wanted = low + target * step
    const missBy = (at: number) => Math.abs(Math.log(sorted[at] ?? Number.POSITIVE_INFINITY) - wanted)
    while (missBy(index + 1) <= missBy(index)) index++
    chosen.add(sorted[index] ?? 0)
  }
  return chosen
}
