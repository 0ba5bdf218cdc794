/** From the curve's batch to the one to set on a server that may pad it, and the level that would settle the doubt. */
import type { CaptureSizes } from '../fit/capture-sizes.ts'
import { concurrencyAt } from '../fit/closed-loop.ts'
import type { CurveFit } from '../fit/curve.ts'
import type { CurveLaw } from '../fit/law.ts'
import type { Level } from '../fit/level.ts'
import type { BatchRange } from './batch.ts'
import { BETWEEN_LEVELS, badUnderPadding, batchUnderPadding } from './between-levels.ts'
import { mayBeUnpadded, type Padding, possiblePaddings } from './padding.ts'
import type { LevelWanted } from './recommendation.ts'
import type { SloLimit } from './slo-limits.ts'
import { gapAround, tellingBatch } from './telling-level.ts'

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
  const asked = { fitted, limits, captureSizes }
  const paddings = possiblePaddings(curve, asked)
  const question = { batch: choice.recommended, paddings, limits, range }
  const { recommended, highest: highestPadded, doubt } = batchUnderPadding(question)
  // The draws of a curve say nothing about a server that runs on stairs.
  const highest = mayBeUnpadded(paddings) ? choice.interval[1] : highestPadded
  const interval = recommended === null ? null : ([recommended, Math.max(recommended, highest)] as const)
  const seen = captureSizes === null && !mayBeUnpadded(paddings) ? ['server-pads-batch'] : []
  const telling = (batch: number, among: readonly Padding[]): LevelWanted | null => {
    const gap = { ...gapAround(curve, fitted, batch), near: batch }
    const levels = curve.levels.map(({ reading }) => reading.level)
    const tells = tellingBatch(differenceFraction(among), gap)
    // Where that one has been measured and did not tell, the batch itself.
    return levelAt(fitted, { batch: tells, levels }) ?? levelAt(fitted, { batch, levels })
  }
  if (doubt !== null) {
    const levelWanted = telling(doubt.batch, paddings)
    const between = withNext(BETWEEN_LEVELS, doubt.inWords, levelWanted)
    return { recommended, interval, levelWanted, caveats: [...seen, between] }
  }
  if (recommended === null) return { recommended, interval, levelWanted: null, caveats: seen }
  const least = possiblePaddings(curve, { ...asked, prefill: 'least' })
  const cost = badUnderPadding({ ...question, batch: recommended, paddings: least })
  if (cost === null) return { recommended, interval, levelWanted: null, caveats: seen }
  const levelWanted = telling(recommended, [...paddings, ...least])
  const rests = `the TTFT is taken for prefill; if part of it is a delay, a server that pads runs ${cost}`
  return { recommended, interval, levelWanted, caveats: [...seen, withNext(BATCH_RESTS, rests, levelWanted)] }
}

/** By how much the steps of some servers differ at a batch. */
function differenceFraction(paddings: readonly Padding[]): (batch: number) => number {
  return (batch) => {
    const stepsMs = paddings.map(({ typicalMs }) => typicalMs(batch))
    const fastest = Math.min(...stepsMs)
    return (Math.max(...stepsMs) - fastest) / fastest
  }
}

/** A batch that is good only if the TTFT is what it is taken for. */
export const BATCH_RESTS = 'batch-rests-on-ttft'

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
