/** A level in words: `8 in flight`, `2.5 requests/s`, with the batch limit where the plan set one. */
import { numberText } from '@loadcurve/report/format'

export interface NamedLevel {
  readonly batch: number | null
  readonly concurrency: number | null
  readonly ratePerS: number | null
}

export function levelName({ batch, concurrency, ratePerS }: NamedLevel): string {
  const load = concurrency === null ? `${numberText(ratePerS)} requests/s` : `${concurrency} in flight`
  return batch === null ? load : `${load}, batch ${batch}`
}
