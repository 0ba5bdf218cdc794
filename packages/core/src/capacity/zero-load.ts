/**
 * Whether a promise can be kept at all. A single request on an idle server is the fastest that the server ever is: when
 * even that misses the promise, no batch and no fleet helps, and saying so is the answer.
 */
import { stepTimeMs } from '../fit/law.ts'
import type { SloLimit } from './slo-limits.ts'

export type ZeroLoadVerdict = 'met' | 'missed' | 'undecided' | 'not-measured'

// Below the lowest level a curve is extrapolated towards zero load: only a promise far below it is called infeasible.
const UNMEASURED_SLACK = 0.7

/**
 * Judges a promise at a batch of one.
 *
 * @param batchMin smallest decode batch that was measured; above 2, zero load itself was not measured
 */
export function zeroLoadVerdict(limit: SloLimit, batchMin: number): ZeroLoadVerdict {
  const values = limit.draws.map((draw) => stepTimeMs(draw, 1)).sort((left, right) => left - right)
  const low = values[Math.floor(0.05 * (values.length - 1))] ?? stepTimeMs(limit.curve, 1)
  const high = values[Math.ceil(0.95 * (values.length - 1))] ?? stepTimeMs(limit.curve, 1)
  if (high <= limit.maxMs) return 'met'
  if (batchMin > 2) return low * UNMEASURED_SLACK > limit.maxMs ? 'missed' : 'not-measured'
  return low > limit.maxMs ? 'missed' : 'undecided'
}
