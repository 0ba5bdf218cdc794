/** A promise as a line in a chart: where it lies, and what is written at it. */
import { shortNumber } from './short-number.ts'

export interface SloLine {
  readonly percentile: number | 'mean'
  readonly maxMs: number
}

/** `SLO p95 ≤ 40 ms` */
export function sloLineText({ percentile, maxMs }: SloLine): string {
  return `SLO ${percentile === 'mean' ? 'mean' : `p${percentile}`} ≤ ${shortNumber(maxMs)} ms`
}
