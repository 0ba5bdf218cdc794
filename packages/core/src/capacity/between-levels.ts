/**
 * What no sweep can see: a server that pads its batch to sizes it has prepared (CUDA graphs) runs every batch between
 * two of them as slowly as the larger one. When the prepared sizes are those that were measured, the levels lie on a
 * line all the same. So a batch between two levels that are far apart may be as slow as the upper one, and where that
 * would break a promise it is said.
 */
import type { CurveFit } from '../fit/curve.ts'
import { stepTimeMs } from '../fit/law.ts'
import type { SloLimit } from './slo-limits.ts'
import { sloInWords } from './slo-order.ts'

/** Stairs of eight are usual, and the fit follows them. */
const STAIR_USUAL = 8
/** A batch this close above a level is that level. */
const AT_LEVEL_FRACTION = 0.02
/** A promise that is exceeded by less is kept, within the tolerance of everything else here. */
const EXCESS_MAX_FRACTION = 0.03

/** A caveat on a recommended batch between two levels; none where a padded batch would still keep every promise. */
export function betweenLevelsCaveat(
  curve: CurveFit,
  { batch, limits }: { readonly batch: number; readonly limits: readonly SloLimit[] },
): string[] {
  const batches = curve.levels
    .flatMap(({ reading, excluded }) => (excluded === null ? (reading.decodeBatch ?? []) : []))
    .sort((left, right) => left - right)
  const below = batches.findLast((measured) => measured <= batch)
  const above = batches.find((measured) => measured > batch)
  if (below === undefined || above === undefined || above - below <= STAIR_USUAL) return []
  if (batch <= below * (1 + AT_LEVEL_FRACTION)) return []
  const broken = limits
    .filter(({ binds }) => binds === 'batch')
    .map((limit) => ({ slo: limit.slo, ms: stepTimeMs(limit.curve, above), maxMs: limit.maxMs }))
    .find(({ ms, maxMs }) => ms > maxMs * (1 + EXCESS_MAX_FRACTION))
  if (broken === undefined) return []
  const [from, to] = [Math.round(below), Math.round(above)]
  return [
    `batch-between-levels: nothing was measured between decode batches of ${from} and ${to}; a server that pads batches ` +
      `to prepared sizes (CUDA graphs) may run ${batch} as slowly as ${to}: ${broken.ms.toFixed(1)} ms, promised ` +
      `${sloInWords(broken.slo)}. Measure a level there, or let a run verify it`,
  ]
}
