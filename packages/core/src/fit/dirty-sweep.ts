/**
 * When a sweep contradicts itself. Step time cannot fall with the batch, so levels that isotonic regression has to pool
 * contradict one another. A few such levels are noise; many, or a contradiction over a wide range of concurrency, mean
 * that something else changed along the sweep, and the answer is to measure again.
 */
import { fitIsotonic } from './isotonic.ts'
import type { SweepPoint } from './sweep.ts'

const POOLED_LEVELS_MAX = 0.25
const POOLED_RANGE_MAX = 0.15
// Levels on a plateau differ by noise in both directions: a fall of this size is not a contradiction.
const FALL_TOLERATED_FRACTION = 0.03

/** True when more than 25 % of the levels, or 15 % of the range of ln N, had to be pooled. */
export function isDirtySweep(points: readonly SweepPoint[]): boolean {
  const sorted = [...points].sort((left, right) => left.batch - right.batch)
  const blocks = fitIsotonic(sorted)
    .pooled.map(({ from, to }) => sorted.slice(from, to + 1))
    .filter(contradicts)
  const pooledLevels = blocks.reduce((sum, block) => sum + block.length, 0)
  const pooledRange = blocks.reduce((sum, block) => sum + logRange(block), 0)
  return pooledLevels > POOLED_LEVELS_MAX * points.length || pooledRange > POOLED_RANGE_MAX * logRange(points)
}

function contradicts(block: readonly SweepPoint[]): boolean {
  let highest = 0
  for (const point of block) {
    if (point.stepMs < (1 - FALL_TOLERATED_FRACTION) * highest) return true
    highest = Math.max(highest, point.stepMs)
  }
  return false
}

function logRange(points: readonly SweepPoint[]): number {
  const concurrencies = points.map((point) => point.concurrency)
  return Math.log(Math.max(...concurrencies) / Math.min(...concurrencies))
}
