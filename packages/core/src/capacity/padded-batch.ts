/** From the curve's batch to the one to set on a server that may pad it, and the level that would settle the doubt. */
import type { CaptureSizes } from '../fit/capture-sizes.ts'
import { concurrencyAt } from '../fit/closed-loop.ts'
import type { CurveFit } from '../fit/curve.ts'
import type { CurveLaw } from '../fit/law.ts'
import type { Level } from '../fit/level.ts'
import type { BatchRange } from './batch.ts'
import { BETWEEN_LEVELS, batchUnderPadding } from './between-levels.ts'
import { mayBeUnpadded, possiblePaddings } from './padding.ts'
import type { LevelWanted } from './recommendation.ts'
import type { SloLimit } from './slo-limits.ts'

export interface PaddedAnswer {
  /** Null: no batch is good on every server that the levels leave possible. */
  readonly recommended: number | null
  readonly interval: readonly [number, number] | null
  readonly levelWanted: LevelWanted | null
  readonly caveats: readonly string[]
}

/** The batch to set, given the one that the curve gives. */
export function paddedBatchOf(
  curve: CurveFit,
  given: {
    readonly fitted: CurveLaw
    readonly choice: { readonly recommended: number; readonly interval: readonly [number, number] }
    readonly range: BatchRange
    readonly limits: readonly SloLimit[]
    readonly captureSizes: CaptureSizes | null | undefined
  },
): PaddedAnswer {
  const { fitted, choice, range, limits, captureSizes = null } = given
  const paddings = possiblePaddings(curve, { fitted, limits, captureSizes })
  const question = { batch: choice.recommended, paddings, limits, range }
  const { recommended, highest: highestPadded, doubt } = batchUnderPadding(question)
  // The draws of a curve say nothing about a server that runs on stairs.
  const highest = mayBeUnpadded(paddings) ? choice.interval[1] : highestPadded
  const interval = recommended === null ? null : ([recommended, Math.max(recommended, highest)] as const)
  const seen = captureSizes === null && !mayBeUnpadded(paddings) ? ['server-pads-batch'] : []
  if (doubt === null) return { recommended, interval, levelWanted: null, caveats: seen }
  const levels = curve.levels.map(({ reading }) => reading.level)
  const levelWanted = levelAt(fitted, { batch: choice.recommended, levels })
  return {
    recommended,
    interval,
    levelWanted,
    caveats: [...seen, withNext(BETWEEN_LEVELS, doubt, levelWanted)],
  }
}

/** What is in doubt, and what would settle it. */
export function withNext(code: string, doubt: string, wanted: LevelWanted | null): string {
  const level = wanted === null ? '' : `; a level at a concurrency of ${wanted.concurrency} would tell`
  return `${code}: ${doubt}${level}`
}

/** The level at which a batch decodes; null when it has been measured already, or the sweep is one of rates. */
export function levelAt(
  { law, outputTokens }: CurveLaw,
  { batch, levels }: { readonly batch: number; readonly levels: readonly Level[] },
): LevelWanted | null {
  const thinkTimeMs = 1000 * Math.max(0, ...levels.map(({ thinkTimeS }) => thinkTimeS))
  const clients = concurrencyAt(law, { batch, steps: outputTokens - 1, thinkTimeMs })
  const concurrency = Math.max(1, Math.round(clients))
  const isOfRates = levels.some(({ kind }) => kind === 'open-loop')
  const isMeasured = levels.some((level) => level.concurrency === concurrency)
  return isOfRates || isMeasured ? null : { batch, concurrency }
}
